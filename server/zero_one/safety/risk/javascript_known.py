"""What JavaScript brings along: the functions and methods that only compute or show. Any other may do anything."""

from __future__ import annotations

GLOBALS = frozenset(
    """
    parseInt parseFloat isNaN isFinite encodeURI encodeURIComponent decodeURI decodeURIComponent escape unescape atob
    btoa
    setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate queueMicrotask requestAnimationFrame
    cancelAnimationFrame requestIdleCallback structuredClone alert confirm prompt print getComputedStyle matchMedia
    getSelection scrollTo scrollBy reportError postMessage focus blur find
    Array ArrayBuffer AsyncFunction BigInt BigInt64Array Boolean Buffer DataView Date Error EvalError Event CustomEvent
    EventTarget EventEmitter Float32Array Float64Array FormData Headers Int8Array Int16Array Int32Array Intl Map Number
    Object Promise Proxy RangeError ReferenceError RegExp Request Response Set SharedArrayBuffer String Symbol
    SyntaxError
    TextDecoder TextEncoder TypeError URIError URL URLSearchParams Uint8Array Uint8ClampedArray Uint16Array Uint32Array
    WeakMap WeakRef WeakSet AggregateError FinalizationRegistry AbortController AbortSignal Blob File FileReader Image
    DOMParser XMLSerializer MutationObserver IntersectionObserver ResizeObserver PerformanceObserver ReadableStream
    TransformStream CompressionStream DecompressionStream BroadcastChannel MessageChannel Option Path2D OffscreenCanvas
    Readable Transform Writable PassThrough PerformanceMark NodeFilter Range Node Element HTMLElement DOMRect Audio
    EventSource AudioContext
    describe it test expect beforeEach afterEach beforeAll afterAll suite define require exports module super import
    $ jQuery $$ $x _ copy keys values dir table inspect getEventListeners monitorEvents Application Path delay
    """.split()
)
"""Names that stand without a dot; ``Application`` and ``Path`` are those of macOS's scripts."""

METHODS = frozenset(
    """
    at charAt charCodeAt codePointAt concat endsWith includes indexOf lastIndexOf localeCompare match matchAll normalize
    padEnd padStart repeat replace replaceAll search slice split startsWith substr substring toLocaleLowerCase
    toLocaleUpperCase toLowerCase toString toUpperCase trim trimEnd trimStart trimLeft trimRight valueOf toLocaleString
    copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach join keys map pop
    push
    reduce reduceRight reverse shift some sort splice toReversed toSorted toSpliced unshift values with from of isArray
    get set has add size next return throw then catch finally all allSettled any race resolve reject call apply bind
    test exec compile toFixed toPrecision toExponential getTime getDate getDay getFullYear getHours getMinutes getMonth
    getSeconds getMilliseconds getTimezoneOffset setDate setHours setMinutes setMonth setFullYear setSeconds setTime
    getUTCDate getUTCDay getUTCFullYear getUTCHours getUTCMinutes getUTCMonth getUTCSeconds setUTCDate setUTCHours
    toISOString
    toJSON toDateString toTimeString toLocaleDateString toLocaleTimeString toUTCString parse stringify now UTC
    hasOwnProperty
    isPrototypeOf propertyIsEnumerable json text blob arrayBuffer formData clone getReader read cancel getAll
    log error warn info debug trace table dir group groupEnd groupCollapsed count time timeEnd timeLog assert
    on once off addListener removeListener removeAllListeners emit addEventListener removeEventListener dispatchEvent
    pipe pipeThrough setEncoding resume pause unpipe destroy end cork uncork close write
    querySelector querySelectorAll getElementById getElementsByClassName getElementsByTagName getElementsByName
    closest matches
    getAttribute hasAttribute getAttributeNames setAttribute toggleAttribute contains getBoundingClientRect
    getClientRects
    append appendChild prepend before after insertBefore insertAdjacentHTML insertAdjacentElement cloneNode
    createElement
    createTextNode createElementNS toggle item namedItem scrollIntoView focus blur hasChildNodes compareDocumentPosition
    getComputedStyle getPropertyValue setProperty observe disconnect unobserve takeRecords evaluate snapshotItem
    iterateNext
    getContext getImageData measureText fillRect fillText beginPath stroke arc lineTo moveTo fillStyle drawImage
    text html attr prop children parent siblings eq first last each is not data css hide show addClass toArray index
    subarray readUInt8 readUInt16LE readUInt16BE readUInt32LE readUInt32BE readInt8 readInt16LE readInt32LE readInt32BE
    readBigUInt64LE readDoubleLE readFloatLE equals compare copy writeUInt8 writeUInt32LE writeUInt32BE swap16 decode
    encode
    update digest createHash randomUUID getRandomValues randomBytes format formatToParts resolvedOptions select
    add subtract diff startOf endOf isBefore isAfter isSame isValid unix year month day hour minute second toDate plus
    minus
    toISO toRelative fromNow utc local tz humanize as asDays asHours duration
    question prompt setPrompt iterator return nodes edges abort throwIfAborted mark measure getEntries getEntriesByType
    getEntriesByName unref ref hasRef toObject deref lower upper chunk groupBy uniq sum mean max min floor ceil round
    random
    isInteger fromEntries assign freeze seal create defineProperty getOwnPropertyNames getPrototypeOf setPrototypeOf
    raw for keyFor sync glob match isDirectory isFile isSymbolicLink name extname basename dirname relative
    goto content title url innerText textContent innerHTML waitForSelector waitForTimeout waitForLoadState
    waitForFunction
    locator getByText getByRole getByLabel allTextContents allInnerTexts nth newPage newContext pages contexts $ $$
    $eval $$eval
    count countDocuments findOne findAll findById findMany findUnique findFirst aggregate distinct
    estimatedDocumentCount lean
    populate where limit skip select orderBy order project toArray explain skipWhile takeWhile query connect connected
    model estimate persisted fetchAll listCollections listDatabases collection db collections
    sheet_to_json readFile getWorksheet eachRow eachCell load done progress option options argv help version command
    parseAsync alloc allocUnsafe byteLength isBuffer timeout
    opts requiredOption usage alias demandOption
    """.split()
)
"""Methods of the language, of pages, streams, dates and the usual readers of data."""

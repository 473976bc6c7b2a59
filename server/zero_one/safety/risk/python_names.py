"""What Python's functions do, by their full name, and what methods do, by their last name."""

from __future__ import annotations

OPAQUE = set(
    """
        pickle.load pickle.loads dill.load dill.loads cloudpickle.load cloudpickle.loads marshal.load
        marshal.loads shelve.open joblib.load torch.load ctypes.CDLL ctypes.cdll ctypes.WinDLL ctypes.PyDLL
        ctypes.memmove ctypes.windll cffi.FFI runpy.run_path runpy.run_module code.interact
        code.InteractiveInterpreter os.dup2 os.fork imp.load_source
        importlib.util.spec_from_file_location importlib.machinery.SourceFileLoader yaml.load yaml.unsafe_load
        yaml.full_load jsonpickle.decode types.FunctionType types.CodeType sys.settrace sys.addaudithook
        mmap.mmap gc.get_objects inspect.currentframe sys._getframe builtins.exec builtins.eval
        pandas.read_pickle torch.hub.load keras.utils.custom_object_scope wmi.WMI.Win32_Process.Create
        nt.system numpy.load_pickle code.InteractiveConsole code.InteractiveInterpreter pdb.run pandas.eval
        site.addsitedir zipimport.zipimporter
        multiprocessing.connection.Listener pickle.Unpickler gc.get_referrers gc.get_referents os.forkpty sys.setprofile
        imaplib.IMAP4_stream importlib.machinery.ExtensionFileLoader
        """.split()
)
SHELL = set(
    """
        os.system os.popen subprocess.getoutput subprocess.getstatusoutput commands.getoutput
        asyncio.create_subprocess_shell subprocess.create_subprocess_shell pexpect.spawn pexpect.run pexpect.runu
        get_ipython.system
        get_ipython.getoutput popen2.popen2 fabric.api.local invoke.run sarge.run plumbum.local plumbum.cmd
        os.popen2 os.popen3
        """.split()
)
PROCESS = set(
    """
        subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen
        asyncio.create_subprocess_exec subprocess.create_subprocess_exec os.spawnle os.spawnlpe os.spawnvpe os.execv
        os.execve os.execvp os.execl os.execlp os.execle os.execvpe
        os.spawnl os.spawnv os.spawnlp os.spawnvp os.spawnve os.posix_spawn os.posix_spawnp pty.spawn
        """.split()
)
DELETE = set(
    """os.ftruncate winreg.DeleteKeyEx os.remove os.unlink os.rmdir os.removedirs shutil.rmtree
    os.truncate winreg.DeleteKey winreg.DeleteValue
    fs.remove keyring.delete_password""".split()
)
MOVE = set("os.rename os.renames os.replace shutil.move".split())
COPY = set("shutil.copy shutil.copy2 shutil.copyfile shutil.copytree shutil.copyfileobj os.link os.symlink".split())
MODES = set(
    """
    os.chmod os.chown os.lchown shutil.chown os.chflags os.lchmod os.fchmod os.fchown os.lchflags os.setxattr
    os.removexattr
    """.split()
)
WRITE = set(
    """
        os.mkdir os.makedirs os.mkfifo os.mknod os.utime shutil.make_archive shutil.unpack_archive
        tempfile.mkdtemp tempfile.mkstemp logging.FileHandler logging.handlers.RotatingFileHandler
        logging.handlers.TimedRotatingFileHandler numpy.savez_compressed numpy.memmap numpy.save numpy.savez
        numpy.savetxt matplotlib.pyplot.savefig
        cv2.imwrite imageio.imwrite imageio.imsave scipy.io.wavfile.write soundfile.write torch.save joblib.dump
        wave.open zipfile.ZipFile tarfile.open json.dump pickle.dump csv.writer csv.DictWriter yaml.dump
        toml.dump nbformat.write frontmatter.dump hjson.dump json5.dump geojson.dump
        scipy.io.savemat imageio.v3.imwrite cv2.VideoWriter logging.handlers.WatchedFileHandler
        """.split()
)
FETCH = set(
    """
        requests.get requests.head requests.options httpx.get httpx.head urllib.request.urlopen
        urllib.request.Request urllib.urlopen urllib2.urlopen aiohttp.request feedparser.parse pandas.read_html
        yfinance.Ticker yfinance.download wikipedia.summary wikipedia.page wikipedia.search newspaper.Article
        socket.gethostbyname socket.getaddrinfo http.client.HTTPConnection http.client.HTTPSConnection
        trafilatura.fetch_url
        """.split()
)
DOWNLOAD = set("urllib.request.urlretrieve urllib.urlretrieve wget.download gdown.download nltk.download".split())
SEND = set(
    """
        requests.post requests.put requests.patch requests.request httpx.post httpx.put httpx.patch
        httpx.request httpx.stream smtplib.SMTP smtplib.SMTP_SSL ftplib.FTP ftplib.FTP_TLS telnetlib.Telnet
        paramiko.SSHClient socket.create_connection socket.create_server asyncio.open_connection
        asyncio.start_server ssl.wrap_socket websocket.create_connection websockets.connect
        websocket.WebSocketApp imaplib.IMAP4_SSL imaplib.IMAP4 poplib.POP3_SSL twilio.rest.Client
        slack_sdk.WebClient tweepy.Client telegram.Bot discord.Client yagmail.SMTP pysftp.Connection
        http.server.HTTPServer http.server.ThreadingHTTPServer
        socketserver.TCPServer flask.Flask uvicorn.run xmlrpc.client.ServerProxy
        xmlrpc.server.SimpleXMLRPCServer paho.mqtt.client.Client
        googleapiclient.discovery.build gspread.authorize msal.PublicClientApplication pyngrok.ngrok.connect
        paho.mqtt.publish.single paho.mqtt.publish.multiple openai.OpenAI anthropic.Anthropic
        litellm.completion smtplib.LMTP logging.handlers.SMTPHandler asyncio.open_unix_connection
        asyncio.start_unix_server wsgiref.simple_server.make_server xmlrpc.server.SimpleXMLRPCServer telnetlib.Telnet
        poplib.POP3 nntplib.NNTP nntplib.NNTP_SSL
        """.split()
)
SPEND = set(
    "stripe paypalrestsdk braintree plaid coinbase ccxt binance web3 alpaca_trade_api ib_insync robin_stocks".split()
)
CREDENTIAL = set(
    """
        keyring.get_password keyring.get_credential getpass.getpass browser_cookie3.chrome
        browser_cookie3.firefox browser_cookie3.load win32crypt.CryptUnprotectData secretstorage.dbus_init
        netrc.netrc spwd.getspall spwd.getspnam pynput.keyboard.Listener pynput.mouse.Listener keyboard.on_press
        keyboard.hook
        keyboard.record keyboard.read_event keyboard.read_key
        """.split()
)
LISTEN = set(
    """sounddevice.rec sounddevice.InputStream sounddevice.RawInputStream pyaudio.PyAudio cv2.VideoCapture
    speech_recognition.Microphone picamera.PiCamera""".split()
)
PROCESS_END = set(
    "os.kill os.killpg signal.pthread_kill psutil.Process.kill psutil.Process.terminate signal.raise_signal".split()
)
DEVICE = set(
    """webbrowser.open webbrowser.open_new webbrowser.open_new_tab webbrowser.get pyperclip.copy winsound.Beep
    ctypes.windll.user32.SystemParametersInfoW os.nice os.setpriority""".split()
)
SECRET_DELETE = {"keyring.set_password"}

# Modules whose functions only look or compute, unless a table above says otherwise.
LOOKING_MODULES = set(
    """
        __future__ abc argparse array ast base64 binascii bisect calendar cmath codecs collections colorsys
        configparser contextlib copy csv dataclasses datetime decimal difflib dis email enum errno fnmatch
        fractions functools getopt glob graphlib gzip hashlib heapq hmac html http importlib.metadata
        importlib.resources inspect io ipaddress itertools json keyword linecache locale logging math mimetypes
        numbers operator os.path pathlib pkgutil platform plistlib pprint queue random re reprlib sched secrets
        shlex statistics string stringprep struct sys sysconfig textwrap threading time timeit token tokenize
        tomllib traceback types typing unicodedata unittest urllib.parse uuid warnings wave weakref xml zlib
        zoneinfo bz2 lzma pwd grp resource asyncio concurrent.futures multiprocessing.cpu_count locale gettext
        doctest cProfile pstats shutil.which shutil.disk_usage numpy pandas scipy sklearn matplotlib seaborn
        plotly sympy networkx statsmodels PIL cv2 skimage imageio bs4 lxml psutil dateutil pytz tabulate rich
        tqdm yaml toml chardet markdown docx openpyxl xlrd PyPDF2 pypdf pdfplumber fitz mutagen polars pyarrow
        duckdb astropy shapely geopy pint babel humanize colorama termcolor wcwidth langdetect nltk spacy
        textblob feedparser wikipedia yfinance IPython attr pydantic jsonschema hypothesis pytest faker emoji
        mpmath numba torch transformers cpuinfo GPUtil distro requests httpx urllib zipfile tarfile sqlite3
        tempfile getpass-none pyperclip.paste screeninfo mss pkg_resources importlib_metadata holidays nltk
        num2words qrcode arrow pendulum pytesseract whisper faster_whisper easyocr icalendar vobject pymupdf rasterio
        geopandas exifread pydub librosa sqlalchemy wmi folium altair bokeh streamlit xgboost lightgbm
        catboost sentence_transformers
        datasets tokenizers tensorflow keras jax gensim wordcloud music21 mido soundfile noisereduce moviepy
        imagehash piexif
        pyzbar qrtools barcode phonenumbers pycountry forex_python wbgapi pandas_datareader fuzzywuzzy rapidfuzz thefuzz
        Levenshtein jellyfish unidecode slugify inflect pyperclip dns netifaces scapy.layers speedtest ntplib
        pyowm ephem
        astral skyfield suntime timezonefinder pvlib rdkit Bio pysam obspy xarray dask netCDF4 h5py zarr
        tables pyproj fiona osmnx
        sqlparse sqlglot tree_sitter lark parso jedi pycparser esprima pyflakes radon pylint markdown2 mistune docutils
        html5lib selectolax parsel justext newspaper readability ebooklib mammoth odf pptx xlwings.books extract_msg
        msgpack cbor2 orjson ujson simplejson toolz cytoolz more_itertools sortedcontainers pyrsistent attrs
        cattrs marshmallow
        plotext asciichartpy prettytable texttable termgraph blessed crayons loguru structlog coloredlogs
        tenacity backoff
        cachetools joblib.hash threadpoolctl pyfiglet cowsay lorem essential_generators mimesis names
        wonderwords random_word
        chess sudoku mpl_toolkits pylab cartopy ipywidgets pympler memory_profiler line_profiler objgraph guppy vcf
        googletrans deep_translator translate langid PyDictionary nameparser usaddress pyphen textstat
        vaderSentiment stanza flair
        tiktoken humanfriendly tzlocal dateparser regex ftfy xmltodict deepdiff jmespath jsonpath_ng jsonlines ndjson
        tomli
        tomlkit ruamel commonmark mistletoe pygments anytree treelib bitarray intervaltree uncertainties haversine
        geographiclib pgeocode workalendar convertdate roman inflection stringcase charset_normalizer cchardet magic
        filetype puremagic exif rawpy colorthief webcolors colour tifffile nibabel pydicom ase pymatgen mdtraj sgp4
        hmmlearn prophet pmdarima arch lifelines pingouin umap hdbscan shap mlxtend imblearn surprise optuna pulp cvxpy
        ortools igraph community plotnine pygal squarify matplotlib_venn holoviews cerberus voluptuous typeguard
        beartype
        croniter parsedatetime timeago ics textdistance spellchecker symspellpy sacremoses sentencepiece rouge_score
        sacrebleu gensim annoy faiss hnswlib fastparquet pyxlsb camelot tabula pdfminer pdf2image markdownify html2text
        w3lib tldextract furl yarl validators email_validator user_agents ua_parser geoip2 maxminddb netaddr pyudev
        alive_progress textual click typer docopt questionary terminaltables asciitree sparklines pyinstrument boltons
        funcy pydash msgspec audioread tinytag eyed3 aubio pretty_midi pyloudnorm face_recognition mediapipe torchvision
        torchaudio timm einops safetensors xlsx2csv numexpr bottleneck tsfresh sktime darts pyod river nameparser
        nbformat gpxpy frontmatter pikepdf eml_parser mailparser pymediainfo hachoir olefile dbfread pyreadstat
        srt pysrt webvtt json5 hjson ijson tinycss2 isodate ciso8601 iso8601 geojson utm fitparse wordfreq
        pynvml py3nvml nvitop cpuinfo battery screen_brightness_control.get_brightness pycaw win32api.GetSystemMetrics
        """.split()
)

# Methods of objects whose type is not known, by name.
METHOD_DELETES = set(
    """
    rm removetree rm_file delete_file delete_objects delete_table
    unlink rmdir rmtree removedirs drop_table delete_many delete_one delete_object terminate_instances
    expunge drop_database drop_all flushall flushdb delete_bucket
    """.split()
)
METHOD_WRITES = set(
    """
    write_text write_bytes touch mkdir to_csv to_excel to_json to_parquet to_pickle to_html to_feather to_sql
    savefig save savetxt tofile savez savez_compressed to_feather to_stata to_orc to_hdf to_netcdf to_zarr to_file
    to_gpkg
    imsave savemat to_markdown to_latex to_xml to_string to_hdf5 write_videofile write_audiofile
    save_model save_pretrained save_weights sink_csv sink_parquet write_csv write_parquet write_json write_excel
    save_as saveas extractall symlink_to hardlink_to write_image write_html write_png writelines imwrite
    export dump_stats makedirs
    """.split()
)
METHOD_MODES = set(
    """
    chmod lchmod chown
    """.split()
)
METHOD_MOVES = set(
    """
    rename
    """.split()
)
METHOD_SENDS = set(
    """
    sendmail send_message sendall sendto post upload upload_file upload_fileobj put_object publish storbinary
    storlines chat_postMessage create_tweet update_status connect_ex invoke_shell exec_command sendfile
    create_connection create_datagram_endpoint create_unix_connection start_server create_server serve_forever
    send_photo send_document send_keys send_file send_mail
    """.split()
)
CODE = set(
    """
    timeit.timeit timeit.repeat timeit.Timer cProfile.run cProfile.runctx profile.run pdb.run pdb.runeval pdb.runctx
    trace.Trace.run numexpr.evaluate pandas.core.computation.eval sympy.parsing.sympy_parser.eval_expr
    """.split()
)
"""Functions that run the code they are given as text."""
METHOD_ENDS = set(
    """
    kill terminate send_signal kill_process
    """.split()
)
METHOD_PROCESSES = set(
    """
    system popen spawn Popen check_output check_call getoutput run_command do_shell_script
    """.split()
)
METHOD_SPENDS = set(
    """
    create_order place_order buy sell transfer pay charge purchase checkout submit_order withdraw
    send_transaction send_raw_transaction market_buy market_sell
    """.split()
)
DUNDER_WALK = set(
    """
    __subclasses__ __globals__ __builtins__ __code__ __mro__ __bases__ __base__ __getattribute__ __loader__
    __import__ __closure__ gi_frame f_globals f_builtins cr_frame tb_frame __reduce__
    """.split()
)


# Clients of services elsewhere: what they delete is gone for everybody.
REMOTE = set(
    """
    boto3 docker kubernetes google azure pymongo redis elasticsearch github gitlab s3fs openstack digitalocean
    firebase_admin supabase minio psycopg2 heroku3 paramiko pysftp fabric ftplib fs fsspec gspread praw sendgrid
    pymsteams
    botocore aioboto3 aiobotocore googleapiclient gcsfs adlfs kafka pika nats celery rq influxdb couchdb neo4j cassandra
    jira asana trello notion_client airtable pyairtable todoist_api_python hubspot salesforce simple_salesforce
    shopify zendesk
    msgraph O365 exchangelib imap_tools telethon pyrogram aiogram instagrapi atproto mastodon facebook tweepy
    linkedin pushbullet
    pushover ntfy plexapi spotipy phue hass_client homeassistant proxmoxer pyVmomi libvirt consul etcd3 hvac
    pinecone qdrant_client
    weaviate chromadb opensearchpy algoliasearch meilisearch mailchimp_marketing mailjet_rest postmarker resend
    square cloudflare dropbox boto imaplib win32com
    """.split()
)
# Functions that are given a function to look at it, not to call it.
INSPECTORS = set("help print repr str type id callable dir isinstance hasattr issubclass hash vars".split())


# Modules of the standard library that look or compute; every other one runs, serves or changes something.
_STANDARD_LOOKING = set(
    """
    __future__ atexit _thread _collections_abc abc argparse array ast asyncio base64 binascii bisect bz2 cProfile
    calendar cmath
    cmd codecs collections colorsys concurrent configparser contextlib contextvars copy copyreg csv dataclasses datetime
    decimal difflib dis doctest email encodings enum errno faulthandler filecmp fileinput fnmatch fractions functools
    genericpath getopt gettext glob graphlib grp gzip hashlib heapq hmac html imghdr inspect io ipaddress itertools json
    keyword linecache locale mailbox logging lzma math mimetypes modulefinder ntpath numbers opcode operator optparse
    pathlib
    pickletools pkgutil platform plistlib posixpath pprint profile pstats pwd pyclbr pydoc pyexpat queue quopri random
    re
    readline reprlib resource sched secrets select selectors shlex sndhdr ssl stat statistics string stringprep struct
    symtable sysconfig tabnanny tarfile tempfile textwrap this threading time timeit token tokenize tomllib trace
    traceback tracemalloc tty types typing unicodedata unittest uuid warnings wave weakref xml zipfile zlib zoneinfo
    rlcompleter
    """.split()
)


def looks(name: str) -> bool:
    """Whether a dotted name belongs to a module that only looks or computes."""
    parts = name.replace("()", "").split(".")
    if parts[0] in _STANDARD_LOOKING:
        return True
    return any(".".join(parts[:i]) in LOOKING_MODULES for i in range(len(parts), 0, -1))


HTTP = set("requests httpx aiohttp urllib3 httplib2 requests_html cloudscraper requests_cache".split())
PERSIST = set("winreg.SetValueEx winreg.SetValue winreg.CreateKey winreg.CreateKeyEx crontab.CronTab".split())
TEXT_METHODS = set(
    """
    append add join format replace split strip startswith endswith encode decode find index count lower upper
    extend insert setdefault discard remove warning info debug error exists is_file is_dir write
    """.split()
)

POWERFUL = set("os sys subprocess shutil builtins __builtins__ importlib pathlib socket ctypes pty posix nt".split())
"""Modules that are not handed to functions without a reason: what is called there cannot be seen."""

BUILTIN_CODE = set("eval exec compile __import__ open getattr setattr input".split())

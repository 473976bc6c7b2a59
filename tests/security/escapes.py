"""Programs that try to get out of a sandbox. Each prints ``OUT`` if it did what a sandbox must not let it do.

``WORLD`` is there as a dict of what the host prepared: paths, ports and process numbers.
"""

from __future__ import annotations

PRELUDE = """
import ctypes, errno, fcntl, json, os, resource, signal, socket, subprocess, sys, time
WORLD = json.loads(os.environ["WORLD"])
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    return libc.syscall(number, *arguments)
def out(): print("OUT", flush=True)
"""

ALWAYS = {
    "write a file of the home folder": "open(WORLD['home'] + '/victim.txt', 'a').write('x'); out()",
    "make a file in the home folder": "open(WORLD['home'] + '/new.txt', 'w').close(); out()",
    "write through a symbolic link in the project": """
os.symlink(WORLD['home'] + '/victim.txt', 'link'); open('link', 'a').write('x'); out()""",
    "write through a hard link in the project": """
os.link(WORLD['home'] + '/victim.txt', 'hard'); open('hard', 'a').write('x'); out()""",
    "move a file out of the home folder": "os.rename(WORLD['home'] + '/victim.txt', 'moved'); out()",
    "delete a file of the home folder": "os.remove(WORLD['home'] + '/victim.txt'); out()",
    "change a mode": "os.chmod(WORLD['home'] + '/victim.txt', 0o777); out()",
    "read an ssh key": "assert 'SECRET' in open(WORLD['home'] + '/.ssh/id_ed25519').read(); out()",
    "read a browser's profile": "assert 'SECRET' in open(WORLD['home'] + '/.mozilla/firefox/key4.db').read(); out()",
    "read a browser's profile in a snap": """
assert 'SECRET' in open(WORLD['home'] + '/snap/firefox/common/.mozilla/firefox/x/logins.json').read(); out()""",
    "read a key among documents": "assert 'SECRET' in open(WORLD['home'] + '/Documents/server.pem').read(); out()",
    "read an environment file among documents": """
assert 'SECRET' in open(WORLD['home'] + '/Documents/app/.env').read(); out()""",
    "read a secret through a link that was there": """
assert 'SECRET' in open(WORLD['home'] + '/Documents/shortcut/id_ed25519').read(); out()""",
    "read a secret folder that is a link itself": """
assert 'SECRET' in open(WORLD['home'] + '/dotfiles/aws/credentials').read(); out()""",
    "read a secret through a link in the project": """
os.symlink(WORLD['home'] + '/.ssh', 'keys'); assert 'SECRET' in open('keys/id_ed25519').read(); out()""",
    "read a secret through the root of a process": """
assert 'SECRET' in open('/proc/self/root' + WORLD['home'] + '/.ssh/id_ed25519').read(); out()""",
    "read the folder of another conversation": """
assert os.listdir(os.path.join(os.getcwd(), '..', 'other')) == ['said.txt']; out()""",
    "read what 01 itself keeps": "assert 'SECRET' in open(WORLD['data'] + '/devices.json').read(); out()",
    "rename the project folder": "os.rename(os.getcwd(), os.getcwd() + '-away'); out()",
    "remove the project folder": "os.rmdir('.output'); os.rmdir(os.getcwd()); out()",
    "put a trap where the host keeps outputs": """
os.symlink(WORLD['home'] + '/victim.txt', '.output/0001-shell.txt'); out()""",
    "put another folder in place of the outputs": "os.rename('.output', 'outputs'); os.mkdir('.output'); out()",
    "put a trap into the folder of the runtime": """
os.symlink(WORLD['home'] + '/victim.txt', WORLD['runtime'] + '/1.sh'); out()""",
    "write a file of the runtime": "open(WORLD['runtime'] + '/connection.json', 'w').write('{}'); out()",
    "end a process of the host": "os.kill(WORLD['pid'], signal.SIGTERM); out()",
    "look at a process of the host": "assert 'sleep' in open(f\"/proc/{WORLD['pid']}/cmdline\").read(); out()",
    "read the environment of a process of the host": """
assert 'SECRET' in open(f"/proc/{WORLD['pid']}/environ").read(); out()""",
    "speak to an abstract socket of the host": """
s = socket.socket(socket.AF_UNIX); s.connect('\\0' + WORLD['abstract']); out()""",
    "speak to a socket file in the home folder": """
s = socket.socket(socket.AF_UNIX); s.connect(WORLD['home'] + '/agent/S.agent'); out()""",
    "speak to a port of the host": "socket.create_connection(('127.0.0.1', WORLD['port']), 30); out()",
    "send a datagram to the network": """
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(('192.0.2.1', 9)); s.send(b'x'); out()""",
    "see devices": """
allowed = set('console core fd full null ptmx pts random shm stderr stdin stdout tty urandom zero'.split())
assert set(os.listdir('/dev')) - allowed; out()""",
    "use a file that the host had open": """
found = [os.readlink(f'/proc/self/fd/{n}') for n in os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{n}')]
assert any(name.endswith('held.txt') for name in found); out()""",
    "gain rights from set-user-id programs": "assert libc.prctl(39, 0, 0, 0, 0) == 0; out()",
    "see folders beside its own": "assert set(os.listdir('/')) & {'boot', 'srv', 'mnt', 'media'}; out()",
    "see the system's own state": "assert os.path.exists('/var/log') or os.path.exists('/var/spool'); out()",
}
"""These can be done by anybody outside, so each is also tried there, and must succeed."""

WHERE_ALLOWED = {
    "trace a process": "assert libc.ptrace(0, 0, 0, 0) == 0; out()",
    "make a user namespace": """
os.unshare(0x10000000) if hasattr(os, 'unshare') else None; assert libc.unshare(0x10000000) == 0; out()""",
    "mount something": """
assert libc.unshare(0x10020000) == 0 and libc.mount(b'none', b'.output', b'tmpfs', 0, None) == 0; out()""",
    "enter another namespace": "assert libc.setns(os.open('/proc/1/ns/net', 0), 0) == 0; out()",
    "use the keyring": """
number = {'x86_64': 248, 'aarch64': 217}[os.uname().machine]
assert call(number, b'user', b'zero-one-test', b'x', 1, -2) > 0; out()""",
    "set the clock": "now = time.time(); time.clock_settime(time.CLOCK_REALTIME, time.time()); out()",
    "make a device": "os.mknod('disk', 0o60600, os.makedev(8, 0)); out()",
    "open a raw socket": "socket.socket(socket.AF_PACKET, socket.SOCK_RAW); out()",
    "speak to the hypervisor": "socket.socket(40, socket.SOCK_STREAM); out()",
    "use io_uring": "assert call(425, 1, ctypes.create_string_buffer(256)) >= 0; out()",
    "read accounts": "assert open('/etc/shadow').read(); out()",
    "raise a limit": "resource.setrlimit(resource.RLIMIT_CORE, (4096, 4096)); out()",
    "hold rights of the administrator": """
assert int([l for l in open('/proc/self/status') if l.startswith('CapEff')][0].split()[1], 16); out()""",
    "change the root": "os.mkdir('root'); os.chroot('root'); out()",
    "watch performance counters": """
number = {'x86_64': 298, 'aarch64': 241}[os.uname().machine]
attributes = ctypes.create_string_buffer(128); attributes[0] = b'\\1'; attributes[4] = b'\\x80'
assert call(number, attributes, 0, -1, -1, 0) >= 0; out()""",
    "see disks": "assert [n for n in os.listdir('/sys/block')]; out()",
}
"""These need rights, or a kernel, that not every machine has: inside they must fail anywhere."""

# Tries to get out of the sandbox that it may be in. Reads what to try on standard input and says what it reached.
import ctypes, json, os, socket, sys, tempfile

targets = json.load(sys.stdin)
libc = ctypes.CDLL(None, use_errno=True)
reached = []


def attempt(name, act):
    try:
        if act():
            reached.append(name)
    except (OSError, ValueError):
        pass


def reads(path):
    with open(path, 'rb') as file:
        return len(file.read(64)) > 0


def writes(path):
    with open(path, 'ab') as file:
        file.write(b'x')
    os.unlink(path)
    return True


def connects(family, address, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as end:
        end.settimeout(2)
        end.connect(address)
        return True


def sends(address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        return end.sendto(b'x', (address, 53)) == 1


def opens_any(pattern):
    for number in range(32):
        try:
            os.close(os.open(pattern % number, os.O_WRONLY | os.O_NONBLOCK))
            return True
        except OSError:
            pass
    return False


def reads_any_link(pattern):
    for number in range(32):
        try:
            os.readlink(pattern % number)
            return True
        except OSError:
            pass
    return False


def calls(number, *arguments):
    return libc.syscall(number, *arguments) != -1


def forked(act):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if act() else 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def lists_descriptors(pid):
    return len(os.listdir('/proc/%d/fd' % pid)) > 0


def chroots():
    os.chroot('/')
    return True


gateway = targets['gatewayPid']
for name, path in targets['files'].items():
    for spelling, place in (('', path), (' by /proc/1/root', '/proc/1/root' + path), (' by /proc/self/root', '/proc/self/root/..' + path), (' by ..', '/agent/../../../..' + path)):
        attempt('reads ' + name + spelling, lambda: reads(place))
for name, path in targets['folders'].items():
    attempt('writes into ' + name, lambda: writes(os.path.join(path, 'left-by-hostile')))
attempt("reads the gateway's environment", lambda: reads('/proc/%d/environ' % gateway))
attempt("lists the gateway's descriptors", lambda: lists_descriptors(gateway))
attempt('signals the gateway', lambda: os.kill(gateway, 0) is None)
attempt('traces the gateway', lambda: forked(lambda: libc.ptrace(0x4206, gateway, 0, 0) == 0))
attempt("reaches a port of the machine's loopback", lambda: connects(socket.AF_INET, ('127.0.0.1', targets['port'])))
for spelling in ('2130706433', '0x7f000001', '0177.0.0.1', '127.1', '0.0.0.0', 'localhost'):
    attempt('reaches that port as ' + spelling, lambda: connects(socket.AF_INET, (spelling, targets['port'])))
for spelling in ('::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1', '::1'):
    attempt('reaches that port as ' + spelling, lambda: connects(socket.AF_INET6, (spelling, targets['port'])))
for address in ('169.254.169.254', '10.0.0.1', '192.168.0.1', '224.0.0.1', '8.8.8.8'):
    attempt('sends a datagram to ' + address, lambda: sends(address))
attempt("opens its first process's memory", lambda: os.close(os.open('/proc/1/mem', os.O_RDWR)) is None)
attempt("reads where its first process's descriptors lead", lambda: reads_any_link('/proc/1/fd/%d'))
attempt("opens its first process's pipe", lambda: opens_any('/proc/1/fd/%d'))
attempt("reads its first process's environment", lambda: reads('/proc/1/environ'))
attempt("reaches another agent's socket", lambda: connects(socket.AF_UNIX, targets['socket']))
attempt('reaches an abstract socket', lambda: connects(socket.AF_UNIX, '\0' + targets['abstract']))
attempt('opens AF_VSOCK', lambda: socket.socket(40, socket.SOCK_STREAM))
attempt('opens AF_ALG', lambda: socket.socket(38, socket.SOCK_SEQPACKET))
attempt('opens AF_PACKET', lambda: socket.socket(17, socket.SOCK_RAW))
attempt('writes a setting of the kernel', lambda: os.close(os.open('/proc/sys/kernel/core_pattern', os.O_WRONLY)) is None)
# Onto a folder of its own: outside a sandbox it succeeds, and would take /tmp from every process of the machine for a moment.
own = tempfile.mkdtemp().encode()
attempt('mounts', lambda: forked(lambda: libc.mount(b'none', own, b'tmpfs', 0, None) == 0 and libc.umount2(own, 2) == 0))
os.rmdir(own)
attempt('makes a user namespace', lambda: forked(lambda: libc.unshare(0x10000000) == 0))
attempt('makes a mount namespace', lambda: forked(lambda: libc.unshare(0x00020000) == 0))
attempt('enters a namespace', lambda: forked(lambda: libc.setns(os.open('/proc/self/ns/uts', os.O_RDONLY), 0) == 0))
attempt('changes its root', lambda: forked(chroots))
attempt('asks for a key', lambda: forked(lambda: calls(targets['calls']['keyctl'], 0, -3, 1)))
attempt('sets up io_uring', lambda: forked(lambda: calls(targets['calls']['io_uring_setup'], 1, ctypes.create_string_buffer(256))))
print(json.dumps(reached))

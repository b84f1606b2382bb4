# Makes system calls without arguments, and sockets of every family and type. Reads which on standard input and says what the kernel answered.
import ctypes, errno, json, os, sys

SOCKET_TYPES = (1, 2, 3, 5)
SOCKET = {'x86_64': (41, 53), 'aarch64': (198, 199)}[os.uname().machine]
libc = ctypes.CDLL(None, use_errno=True)
asked = json.load(sys.stdin)


def call(number, *arguments):
    six = list(arguments) + [0] * (6 - len(arguments))
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(each) if isinstance(each, int) else each for each in six])
    return ('open', result) if result != -1 else (errno.errorcode[ctypes.get_errno()], -1)


# Each in a process of its own, which a filter may kill.
def call_apart(number):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, call(number)[0].encode())
        os._exit(0)
    os.close(writer)
    _, status = os.waitpid(child, 0)
    said = os.read(reader, 64).decode()
    os.close(reader)
    return said or 'killed by %d' % os.WTERMSIG(status)


def answers(number, family, *rest):
    said = set()
    for kind in SOCKET_TYPES:
        answer, descriptor = call(number, family, kind, 0, *rest)
        said.add(answer)
        if number == SOCKET[0] and descriptor >= 0:
            os.close(descriptor)
    return sorted(said)


ends = (ctypes.c_int * 2)()
print(json.dumps({
    'calls': {name: call_apart(number) for name, number in asked['calls'].items()},
    'sockets': [answers(SOCKET[0], family) for family in asked['families']],
    'pairs': [answers(SOCKET[1], family, ends) for family in asked['families']],
}))

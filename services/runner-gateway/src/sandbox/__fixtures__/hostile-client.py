# Inside a sandbox: asks its proxy for one name again and again, then crowds the socket of its relay. Says what came of it.
import json, resource, socket, sys, time

targets = json.load(sys.stdin)
_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def ask_proxy():
    with socket.create_connection(('127.0.0.1', targets['proxyPort'])) as end:
        end.sendall(b'CONNECT %s HTTP/1.1\r\nHost: far\r\n\r\n' % targets['name'].encode())
        return int(end.recv(4096).split(b' ')[1])


def connect_relay():
    end = socket.socket(socket.AF_UNIX)
    end.connect(targets['relaySocket'])
    end.setblocking(False)
    return end


def is_held(end):
    try:
        return end.recv(1) != b''
    except BlockingIOError:
        return True
    except OSError:
        return False


statuses = [ask_proxy() for _ in range(targets['asks'])]
crowd = [connect_relay() for _ in range(targets['connections'])]
ends_at = time.monotonic() + 10
held = [end for end in crowd if is_held(end)]
while len(held) > targets['mostHeld'] and time.monotonic() < ends_at:
    time.sleep(0.1)
    held = [end for end in held if is_held(end)]
print(json.dumps({'statuses': statuses, 'opened': len(crowd), 'held': len(held)}))

"""A server of parca.debuginfo.v1alpha1.DebuginfoService by grpcio, as proto/parca/debuginfo/v1alpha1/debuginfo.proto of Parca has it.

usage: debuginfo_server.py [--tls=FILE] LOG grpc|signed|unwanted|refuses|forbids [URL]

Says its port, and writes a line of JSON a call to LOG: its path and its messages, in base64.  URL: where files are to be put with `signed`.
FILE: its certificate and the key of that."""
import base64
import concurrent.futures
import json
import sys
import threading

import grpc

SERVICE = '/parca.debuginfo.v1alpha1.DebuginfoService/'
TLS = sys.argv.pop(1).removeprefix('--tls=') if sys.argv[1].startswith('--tls=') else ''
LOG, MODE, URL = sys.argv[1], sys.argv[2], ''.join(sys.argv[3:])
LOCK = threading.Lock()


def text(field, value):
    return bytes([field << 3 | 2, len(value)]) + value


def number(field, value):
    rest = bytes([field << 3])
    while value > 127:
        rest += bytes([value & 127 | 128])
        value >>= 7
    return rest + bytes([value])


def tell(path, messages):
    with LOCK, open(LOG, 'a', encoding='ascii') as log:
        log.write(json.dumps({'path': path, 'messages': [base64.b64encode(m).decode() for m in messages]}) + '\n')


def instructions():
    strategy = {'grpc': 1, 'signed': 2}.get(MODE, 0)
    return text(1, text(1, b'any') + text(2, b'upload-7') + number(3, strategy) + (text(4, URL.encode()) if URL else b''))


class Service(grpc.GenericRpcHandler):
    def service(self, handler_call_details):
        path = handler_call_details.method

        def one(request, context):
            tell(path, [request])
            if path == SERVICE + 'ShouldInitiateUpload':
                return (number(1, 1) if MODE != 'unwanted' else b'') + text(2, b'a reason')
            if path == SERVICE + 'InitiateUpload':
                if MODE == 'refuses':
                    context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, 'no room')
                return instructions()
            return b''

        def many(requests, _):
            pieces = list(requests)
            tell(path, pieces)
            return text(1, b'any') + number(2, sum(map(len, pieces)))

        if path == SERVICE + 'Upload':
            return grpc.stream_unary_rpc_method_handler(many)
        known = path in (SERVICE + name for name in ('ShouldInitiateUpload', 'InitiateUpload', 'MarkUploadFinished'))
        return grpc.unary_unary_rpc_method_handler(one) if known else None


def main():
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers((Service(),))
    if TLS:
        with open(TLS, 'rb') as f:
            both = f.read()
        print(server.add_secure_port('127.0.0.1:0', grpc.ssl_server_credentials([(both, both)])), flush=True)
    else:
        print(server.add_insecure_port('127.0.0.1:0'), flush=True)
    server.start()
    server.wait_for_termination()


main()

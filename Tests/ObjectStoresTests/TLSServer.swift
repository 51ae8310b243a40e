import Foundation
import SystemPackage
import TestSupport

/// A server with TLS, by openssl and Node.js. It keeps the bytes of each path.
struct TLSServer {
  /// The certificate of a server. An authority of the folder signs all but one.
  enum Certificate: String, CaseIterable {
    case valid, expired, other, own
  }

  /// The protocols that the server offers.
  enum Offer: String, CaseIterable {
    case http1, http2
    /// It answers without TLS.
    case plain
    /// It takes a connection, and says nothing.
    case silent
  }

  static let isPossible = Program.succeeds("node --version && openssl version")

  let port: Int
  private let program: TalkingProgram

  /// Starts a server in a folder, to which it adds `authority.pem`.
  init(in folder: FilePath, _ certificate: Certificate = .valid, _ offer: Offer = .http2) async throws {
    let made = try Program(path: "/bin/sh").run(["-e", "-c", Self.certificates], in: folder)
    guard made.status == 0 else { throw Failure(description: made.errors) }
    let script = folder.appending("server.cjs").string
    try Self.script.write(toFile: script, atomically: true, encoding: .utf8)
    let node = Program.installed("node") ?? Program(path: "node")
    program = try TalkingProgram(node, [script, folder.string, certificate.rawValue, offer.rawValue])
    port = try await program.expect("a port") { $0.first.flatMap { Int($0) } }
  }

  /// The requests so far: version, method and path, and the client's port.
  var requests: [(line: String, connection: String)] {
    program.lines.dropFirst().map { line in
      let words = line.split(separator: " ")
      return (words.dropLast().joined(separator: " "), String(words.last ?? ""))
    }
  }

  private struct Failure: Error, CustomStringConvertible { var description: String }

  private static let certificates = """
    key='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
    openssl req -x509 $key -days 2 -subj /CN=authority -addext basicConstraints=critical,CA:TRUE \
      -keyout authority.key -out authority.pem
    openssl req -x509 $key -days 2 -subj /CN=own -addext subjectAltName=IP:127.0.0.1 -keyout own.key -out own.pem
    make() {
      openssl req $key -subj "/CN=$1" -addext "subjectAltName=$2" -keyout "$1.key" -out "$1.csr"
      openssl x509 -req -in "$1.csr" -CA authority.pem -CAkey authority.key -CAcreateserial \
        -copy_extensions copy -days "$3" -out "$1.pem"
    }
    make valid DNS:localhost,IP:127.0.0.1 2
    make expired DNS:localhost,IP:127.0.0.1 -1
    make other DNS:other.example 2
    mkdir -p authorities
    cp authority.pem authorities
    openssl rehash authorities
    """

  private static let script = """
    const [fs, http2, https, net] = ['fs', 'http2', 'https', 'net'].map((name) => require(`node:${name}`));
    const [, , folder, name, offer] = process.argv;
    const objects = new Map();
    function answer(request, response) {
      console.log(`${request.httpVersion} ${request.method} ${request.url} ${request.socket.remotePort}`);
      const parts = [];
      request.on('data', (part) => parts.push(part));
      request.on('end', () => {
        const body = request.method === 'PUT' ? Buffer.alloc(0) : objects.get(request.url) ?? Buffer.from('hello');
        if (request.method === 'PUT') objects.set(request.url, Buffer.concat(parts));
        const isCut = request.url.endsWith('/cut');
        response.setHeader('content-length', body.length + (isCut ? 100 : 0));
        if (!isCut) return response.end(body);
        response.write(body);
        setTimeout(() => request.stream?.close ? request.stream.close(2) : request.socket.destroy(), 50);
      });
    }
    const files = () => ({
      key: fs.readFileSync(`${folder}/${name}.key`), cert: fs.readFileSync(`${folder}/${name}.pem`),
    });
    const servers = {
      http1: () => https.createServer(files(), answer), http2: () => http2.createSecureServer(files(), answer),
      plain: () => net.createServer((socket) => socket.on('error', () => {}).on('data', () => {
        socket.end('HTTP/1.1 400 Bad Request\\r\\nContent-Length: 0\\r\\n\\r\\n');
      })),
      silent: () => net.createServer((socket) => socket.on('error', () => {}).resume()),
    };
    const server = servers[offer]();
    server.keepAliveTimeout = 0;
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));
    """
}

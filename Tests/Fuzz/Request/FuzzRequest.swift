import Dispatch
import FoundationEssentials
import Glibc
import NotesServer
import Synchronization
import TestSupport

/// Sends bytes to the server of pages.
///
/// The first byte chooses by its remainder by 4: 0 the head of a request; 1 two lists of splices in JSON; 2 all bytes of
/// a connection, with the server's name for `HOST` and the cookie for `COOKIE`; 3 the body of a command, which the second
/// byte chooses. For the last two, a server runs in this process, with a document in a folder in memory.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 2 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
  switch start[0] & 3 {
  case 0: readHead(bytes)
  case 1:
    let time = threadTime { readSplices(Data(bytes)) }
    precondition(time < .seconds(2), "\(time) for \(bytes.count) bytes")
  case 2: sendConnection(bytes)
  default: sendCommand(bytes[0], Array(bytes.dropFirst()))
  }
  return 0
}

// MARK: Values

private func readHead(_ bytes: [UInt8]) {
  do throws(HTTPRefusal) {
    let head = try HTTPRequestHead(bytes)
    precondition(!head.method.isEmpty && head.method.utf8.allSatisfy { (0x41...0x5A).contains($0) })
    for part in head.segments {
      precondition(
        !part.isEmpty && !part.hasPrefix(".") && !part.contains("/") && !part.utf8.contains(0), part)
    }
    precondition(!head.query.contains { $0.utf8.contains(0) || $1.utf8.contains(0) })
    for (name, value) in head.fields {
      precondition(!name.isEmpty && name == name.lowercased(), name)
      precondition(value.utf8.allSatisfy { $0 != 13 && $0 != 10 && $0 != 0 }, "\(name): \(value)")
    }
    _ = head.cookie("docpkg")
    // The standard's own form of the head gives the same one.
    var text = bytes.prefix { $0 != 13 } + [13, 10]
    for (name, value) in head.fields { text += Array("\(name): \(value)\r\n".utf8) }
    let again = try HTTPRequestHead(text.dropLast(2))
    precondition(again == head, "another head: \(head)")
  } catch {
    precondition(!error.message.isEmpty)
  }
}

/// Both lists are for one text, which has characters of one unit and of two.
private func readSplices(_ bytes: Data) {
  guard let lists = try? JSONDecoder().decode([[TextSplice]].self, from: bytes), lists.count == 2,
    lists[0].count * lists[1].count <= 10_000
  else { return }
  let text = "One 😀 ä\nTwo 😀😀\n"
  var first = text
  var second = text
  guard let inverse = try? first.replace(by: lists[0]), (try? second.replace(by: lists[1])) != nil else {
    return
  }
  var undone = first
  precondition(
    (try? undone.replace(by: inverse)) != nil && undone == text, "an inverse takes its change back")
  precondition(String(validating: Array(first.utf8), as: UTF8.self) != nil)
  let size = second.utf16.count
  var merged = first
  precondition(
    (try? merged.replace(by: TextSplice.transformed(lists[1], over: lists[0]))) != nil,
    "a change outside of the text")
  precondition(
    merged.utf16.count <= first.utf16.count + size,
    "a text of \(merged.utf16.count) units")
  // Without a change before it, a change is as it was.
  var alone = text
  precondition((try? alone.replace(by: TextSplice.transformed(lists[1], over: []))) != nil && alone == second)
}

// MARK: Connections

private func sendConnection(_ bytes: [UInt8]) {
  let server = RunningServer.shared
  var request = bytes
  for (word, value) in [("HOST", server.host), ("COOKIE", server.cookie)] {
    request = request.replacing(Array(word.utf8), with: Array(value.utf8), maxReplacements: 4)
  }
  let ends = request.ranges(of: Array("\r\n\r\n".utf8)).count
  let answer = server.answer(to: request)
  let answers = answer.ranges(of: Array("HTTP/1.1 ".utf8)).count
  precondition(answer.isEmpty || answer.starts(with: Array("HTTP/1.1 ".utf8)), text(answer))
  precondition(answers <= ends + 1, "\(answers) answers: \(text(answer))")
  precondition(answer.ranges(of: Array("HTTP/1.1 500".utf8)).isEmpty, text(answer))
}

private let commands = [
  "text", "text", "text", "caret", "undo", "redo", "title", "save", "recovery", "images/a/caption",
  "images/a/move",
  "versions/0/restore", "conflicts/resolve",
]

private func sendCommand(_ choice: UInt8, _ body: [UInt8]) {
  let server = RunningServer.shared
  let command = commands[Int(choice) % commands.count]
  var body = body
  if command == "text", choice & 0x80 == 0 {
    // A whole edit but for its splices, made for an earlier text.
    body = server.edit(behind: Int(choice >> 5), splices: body)
  }
  let answer = server.answer(
    to: server.head("POST", "/api/documents/\(server.document)/\(command)", body) + body)
  if answer.starts(with: Array("HTTP/1.1 409 ".utf8)) { server.open() }
  server.noteNumber(in: answer)
  let statuses = [200, 204, 400, 404, 409, 415, 422]
  precondition(
    statuses.contains { answer.starts(with: Array("HTTP/1.1 \($0) ".utf8)) }, "\(command): \(text(answer))")
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes.prefix(2_000), as: UTF8.self) }

/// A server in this process, with one document.
private final class RunningServer: Sendable {
  static let shared = RunningServer()

  private struct Session {
    var document = ""
    /// The document's run, and its last number.
    var epoch = ""
    var number = 0
    var operation = 0
  }

  let host: String
  let cookie: String
  private let port: UInt16
  private let session = Mutex(Session())

  /// The folder of the document and of uploads, in memory if possible.
  private static let folder: URL = {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isThere = FileManager.default.isWritableFile(atPath: memory.path)
    return (isThere ? memory : FileManager.default.temporaryDirectory)
      .appending(path: "fuzz-request-\(getpid())")
  }()

  private init() {
    do {
      let folder = Self.folder.appending(path: "documents")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      setenv("TMPDIR", Self.folder.path, 1)
      // The folder is of no use after the fuzzer.
      atexit { try? FileManager.default.removeItem(at: RunningServer.folder) }
      let server = try NotesServer(
        NotesPlaces(folder: folder, container: nil), port: 0, state: nil, cache: nil)
      Task.detached { try await server.run() }
      host = String(server.address.split(separator: "/")[1])
      port = UInt16(host.split(separator: ":")[1]) ?? 0
      cookie = "docpkg-\(port)=" + (server.address.split(separator: "=").last ?? "")
    } catch {
      preconditionFailure("\(error)")
    }
    let body = Array(#"{"name":"Trip","text":"One 😀 ä\nTwo\n"}"#.utf8)
    let made = answer(to: head("POST", "/api/library/new", body) + body)
    guard let id = Self.value(of: "id", in: made) else { preconditionFailure(text(made)) }
    session.withLock { $0.document = id }
    open()
  }

  var document: String { session.withLock { $0.document } }

  /// Opens the document, and notes its run.
  func open() {
    let path = "/api/documents/\(document)/events?tab=fuzzfuzz"
    let opened = answer(to: head("GET", path, []), isStream: true)
    guard let epoch = Self.value(of: "epoch", in: opened) else { preconditionFailure(text(opened)) }
    session.withLock { ($0.epoch, $0.number) = (epoch, 0) }
  }

  /// The body of an edit that a tab made for an earlier text.
  func edit(behind: Int, splices: [UInt8]) -> [UInt8] {
    session.withLock { session in
      session.operation += 1
      let number = max(0, session.number - behind)
      let start =
        #"{"tab":"fuzzfuzz","op":"\#(session.operation)","epoch":"\#(session.epoch)","seq":\#(number)"#
      return Array((start + #","splices":"#).utf8) + splices + Array("}".utf8)
    }
  }

  /// Notes the number of an edit in an answer.
  func noteNumber(in answer: [UInt8]) {
    guard let match = text(answer).firstMatch(of: /{"seq":([0-9]+)}/), let number = Int(match.1) else {
      return
    }
    session.withLock { $0.number = number }
  }

  private static func value(of key: String, in answer: [UInt8]) -> String? {
    let mark = "\"\(key)\":\""
    guard let start = text(answer).ranges(of: mark).first?.upperBound else { return nil }
    return String(text(answer)[start...].prefix { $0 != "\"" })
  }

  /// The head of a request of a page.
  func head(_ method: String, _ path: String, _ body: [UInt8]) -> [UInt8] {
    let lines = [
      "\(method) \(path) HTTP/1.1", "Host: \(host)", "Origin: http://\(host)", "Cookie: \(cookie)",
      "Content-Length: \(body.count)", "Connection: close",
    ]
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// Sends bytes over a new connection, and returns the whole answer.
  ///
  /// - Parameter isStream: whether the answer has no end; reading ends with its first value then.
  func answer(to bytes: [UInt8], isStream: Bool = false) -> [UInt8] {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    precondition(socket >= 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, 16) } == 0
    }
    precondition(isConnected, "the server does not listen")
    // A server that answers before it has read all may end the connection.
    _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    if !isStream { shutdown(socket, Int32(SHUT_WR)) }
    var answer: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(socket, &piece, piece.count, 0)
      // The fuzzer's own timer interrupts the call.
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return answer }
      answer += piece[..<count]
      if isStream, Self.value(of: "epoch", in: answer) != nil { return answer }
    }
  }
}

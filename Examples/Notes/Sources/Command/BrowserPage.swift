import Foundation
import Glibc
import Synchronization

/// A page that leads the desktop's browser to the address of a server.
///
/// Other users see in the list of processes how a browser was started. So that is the path of this page, which they
/// cannot read, and not the address with its secret.
struct BrowserPage {
  private let file: URL

  /// Makes the page, in `$XDG_RUNTIME_DIR` or in the folder of temporary files, and starts the browser with it.
  init(leadingTo address: String) throws {
    let folder =
      ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? FileManager.default.temporaryDirectory.path
    file = URL(filePath: "\(folder)/docpkg-\(UUID().uuidString).html")
    _ = try PrivateFile(file).create(
      """
      <!doctype html>
      <meta charset="utf-8">
      <meta name="referrer" content="no-referrer">
      <meta http-equiv="refresh" content="0; url=\(address)">
      <title>docpkg</title>
      <a href="\(address)">Documents</a>

      """)
    // In a session of its own, so that Ctrl-C ends the server alone.
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/setsid")
    process.arguments = ["xdg-open", file.path]
    // The output of the server is its address alone.
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      remove()
      throw error
    }
  }

  /// Removes the page. A page that stays after a kill leads to a secret that no server has any more.
  func remove() { unlink(file.path) }

  /// The page of one server, if there is one.
  final class Place: Sendable {
    private let page = Mutex<BrowserPage?>(nil)

    /// Opens the browser. Without one, the address can still be opened by hand.
    func show(_ address: String) {
      do {
        let page = try BrowserPage(leadingTo: address)
        self.page.withLock { $0 = page }
      } catch {
        Serve.warn("'xdg-open' cannot be started: \(error.localizedDescription) Open the address yourself.")
      }
    }

    func remove() { page.withLock { $0?.remove() } }
  }
}

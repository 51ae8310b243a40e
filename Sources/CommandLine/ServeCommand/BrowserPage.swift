import CommandSupport
import FoundationEssentials
import Glibc

/// A page that leads the desktop's browser to the address of a server.
///
/// Other users see in the list of processes how a browser was started. So that is the path of this page, which they
/// cannot read, and not the address with its secret.
struct BrowserPage {
  private let path: String

  /// Makes the page, in `$XDG_RUNTIME_DIR` or in the folder of temporary files.
  init(leadingTo address: String) throws {
    let folder =
      ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? FileManager.default.temporaryDirectory.path
    path = "\(folder)/docpkg-\(UUID().uuidString).html"
    let page = """
      <!doctype html>
      <meta charset="utf-8">
      <meta name="referrer" content="no-referrer">
      <meta http-equiv="refresh" content="0; url=\(address)">
      <title>docpkg</title>
      <a href="\(address)">Documents</a>

      """
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw InputError(description: "'\(display(path))': \(String(cString: strerror(errno))).")
    }
    close(file)
    do {
      try Data(page.utf8).write(to: URL(filePath: path))
    } catch {
      remove()
      throw error
    }
  }

  /// Starts the desktop's browser with the page. It is in a group of its own, so that Ctrl-C ends the server alone.
  func show() throws {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The output of the server is its address alone.
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
    }
    let arguments = [strdup("xdg-open"), strdup(path), nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, "xdg-open", &actions, &attributes, arguments, environ)
    guard code == 0 else {
      throw InputError(description: "'xdg-open' cannot be started: \(String(cString: strerror(code))).")
    }
  }

  /// Removes the page. A page that stays after a kill leads to a secret that no server has any more.
  func remove() {
    unlink(path)
  }
}

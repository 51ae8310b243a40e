import Glibc

/// The descriptors 0, 1 and 2, with which a program may be started closed.
enum StandardDescriptors {
  /// Opens the closed ones on `/dev/null`: the system gives the next file that is opened the lowest free number, and the
  /// report of a command must never go into a file of a document.
  ///
  /// Standard input cannot be read then, and the others cannot be written (EBADF), as where they are closed.
  static func fill() {
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
      let mode = number == STDIN_FILENO ? O_WRONLY : O_RDONLY
      guard open("/dev/null", mode) == number else {
        StandardError.write(
          "docpkg: descriptor \(number) is closed, and '/dev/null' cannot be opened for it\n")
        exit(ExitStatus.failed)
      }
    }
  }
}

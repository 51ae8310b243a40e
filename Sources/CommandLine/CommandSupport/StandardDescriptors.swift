import Glibc

/// The descriptors 0, 1 and 2, which may be closed when the program starts.
package enum StandardDescriptors {
  /// Opens closed descriptors on `/dev/null`.
  ///
  /// The system gives the next opened file the lowest free number, and a report must never go into a file of a
  /// document. A read of standard input and a write to the other two still fail (EBADF), as for closed descriptors.
  package static func fill() {
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

import Glibc
import SystemPackage

func makeFIFO(_ path: FilePath) throws {
  guard mkfifo(path.string, 0o600) == 0 else { throw Errno(rawValue: errno) }
}

import DurableIO
import Glibc
import SystemPackage

/// The folder in which the processes of one user find each other; its files need not be durable.
///
/// It belongs to this user, and no other user may look into it. A process uses no other folder: any user could have
/// written its files.
final class CoordinationFolder: Sendable {
  let path: FilePath
  /// The disk of all files here: processes meet only on the machine's own.
  let disk = PosixDisk()
  /// The registrations: one file for each process that has presenters, locked while the process lives, and its socket.
  let presenters: OwnedDescriptor
  /// The claims: one file for each access that waits or runs, locked until the access ends.
  let claims: OwnedDescriptor

  /// Opens the folder, or makes it if it does not exist.
  ///
  /// - Throws: `registry` if the folder is not this user's alone.
  init(at path: FilePath) throws(FileCoordinationError) {
    self.path = path
    do {
      let root = try Self.openOrMake(path, on: disk)
      presenters = try Self.openOrMake("presenters", in: root, on: disk)
      claims = try Self.openOrMake("claims", in: root, on: disk)
    } catch is OthersFolder {
      throw FileCoordinationError(
        .registry, item: path.string,
        reason: "the folder '\(path)' for coordination does not belong to this user alone")
    } catch {
      throw FileCoordinationError(.registry, item: path.string, reason: "\(error)", cause: error)
    }
  }

  /// Whether the folder still exists: programs that tidy up `/tmp` remove old folders. If it cannot be looked at, the
  /// next access makes it anew, or throws the reason.
  var isThere: Bool {
    return (try? disk.status(of: presenters).links) ?? 0 > 0 && (try? disk.status(of: claims).links) ?? 0 > 0
  }

  /// Another user owns a folder, or can read it.
  private struct OthersFolder: Error {}

  private static func openOrMake(_ path: FilePath, on disk: PosixDisk) throws -> OwnedDescriptor {
    let parent = try disk.openDirectory(at: path.removingLastComponent())
    guard let name = path.lastComponent else { throw SystemError("mkdir", code: .invalidArgument) }
    return try openOrMake(FileName(name), in: parent, on: disk)
  }

  private static func openOrMake(
    _ name: FileName, in parent: borrowing OwnedDescriptor, on disk: PosixDisk
  ) throws -> OwnedDescriptor {
    do {
      return try open(name, in: parent, on: disk)
    } catch let error as SystemError where error.code == .noSuchFileOrDirectory {
      do {
        try disk.makeDirectory(name, in: parent, mode: 0o700)
      } catch  where error.code == .fileExists {
        // Another process was faster.
      }
      return try open(name, in: parent, on: disk)
    }
  }

  /// Opens a folder and checks its owner and mode.
  private static func open(
    _ name: FileName, in parent: borrowing OwnedDescriptor, on disk: PosixDisk
  ) throws -> OwnedDescriptor {
    let folder = try disk.openDirectory(name, in: parent)
    let status = try disk.status(of: folder)
    guard status.user == geteuid(), status.mode & 0o077 == 0 else { throw OthersFolder() }
    return folder
  }

  /// `$XDG_RUNTIME_DIR/filepackages`, or `/tmp/filepackages-<user>` if this user owns no such directory.
  static var standardPath: FilePath {
    if let runtime = getenv("XDG_RUNTIME_DIR").map({ FilePath(platformString: $0) }), runtime.isAbsolute {
      var status = stat()
      if runtime.withPlatformString({ stat($0, &status) }) == 0, status.st_uid == geteuid(),
        status.st_mode & S_IFMT == S_IFDIR
      {
        return runtime.appending("filepackages")
      }
    }
    return FilePath("/tmp/filepackages-\(geteuid())")
  }
}

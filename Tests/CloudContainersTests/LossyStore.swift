import CloudContainers
import Foundation
import ObjectStores
import StoreTestSupport
import TestSupport

/// A store that can be brought back to an earlier state, and that can lose and damage objects.
enum LossyStore {
  case folder(URL)
  case service(S3Server)

  /// The kinds of stores.
  enum Kind: CaseIterable { case folder, service }

  init(_ kind: Kind) throws {
    switch kind {
    case .folder:
      let url = url("disk")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      self = .folder(url)
    case .service: self = .service(try S3Server())
    }
  }

  var store: any ObjectStore {
    get throws {
      switch self {
      case .folder(let url): try FolderStore(at: url)
      case .service(let server): try server.store()
      }
    }
  }

  /// The objects, by key.
  var objects: [String: Data] {
    get throws {
      switch self {
      case .folder(let url):
        var objects: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: url.path) where !path.hasPrefix(".") {
          objects[path] = FileManager.default.contents(atPath: url.appending(path: path).path)
        }
        return objects
      case .service(let server): return server.objects
      }
    }
  }

  /// Replaces all objects, as a backup that is restored does.
  func restore(_ objects: [String: Data]) throws {
    switch self {
    case .folder(let url):
      for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
        try FileManager.default.removeItem(at: url.appending(path: name))
      }
      for (key, bytes) in objects {
        try writeFile(bytes, to: url.appending(path: key))
      }
    case .service(let server): server.objects = objects
    }
  }

  /// Changes objects, and removes those for which `body` returns nil.
  func change(_ body: (_ key: String, _ bytes: Data) -> Data?) throws {
    var changed: [String: Data] = [:]
    for (key, bytes) in try objects { changed[key] = body(key, bytes) }
    try restore(changed)
  }
}

import FoundationEssentials
import ObjectStores

// An error of one object belongs to its document. An error of a listing, of the container's mark or of the connection
//     ends a run, since all other documents would fail as well. The code does not tell the two apart: a server may fail,
//     or break off its answer, for one object alone. So the store is asked for a listing.

extension ObjectStore {
  /// Makes a call about one object. If it fails, and the store still lists objects, the error is that of the object.
  ///
  /// Cost: a listing of one object after a failure.
  ///
  /// - Throws: `CloudDataError` with the code `refusedByStore` for an error of the object; `ObjectStoreError` for one of
  ///   the store or of the connection.
  @discardableResult
  func oneObject<Result>(_ call: () async throws -> Result) async throws -> Result {
    do {
      return try await call()
    } catch let error as ObjectStoreError where error.code != .cancelled && error.key != nil {
      guard await givesListing() else { throw error }
      throw CloudDataError(error)
    }
  }

  /// Reads an object whose reader compares or decodes the bytes, as `oneObject`.
  ///
  /// - Returns: no bytes if they are damaged: no reader takes them for an object. nil if there is no object.
  func content(of key: ObjectKey, limit: Int) async throws -> Data? {
    try await oneObject {
      do throws(ObjectStoreError) {
        return try await get(key, limit: limit)
      } catch {
        if error.code == .damaged { return Data() }
        throw error
      }
    }
  }

  private func givesListing() async -> Bool {
    do throws(ObjectStoreError) {
      _ = try await list(ContainerLog.prefix, after: nil, limit: 1)  // The objects do not matter.
      return true
    } catch {
      // The error of the object, which the caller throws, has the same reason.
      return false
    }
  }
}

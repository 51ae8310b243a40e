import DurableIO
import TestSupport
import Testing

@Suite("A directory listing")
struct DirectoryListingTests {
  @Test func `of nothing finds nothing`() {
    let listing = DirectoryListing(DirectoryListing.Builder())
    #expect(listing.count == 0)
    #expect(listing.position(of: "a") == nil)
    #expect(listing.position(of: "") == nil)
    #expect(listing.sortedPositions() == [])
  }

  @Test func `finds each of 10,000 names, and no other`() {
    var entries = DirectoryListing.Builder()
    let kinds: [FileKind] = [.file, .directory, .symbolicLink, .fifo, .socket, .device]
    for number in 0..<10_000 { entries.append(FileName("IMG_\(number).jpeg"), kinds[number % 6]) }
    let listing = DirectoryListing(entries)
    #expect(listing.count == 10_000)
    for number in 0..<10_000 {
      let name = FileName("IMG_\(number).jpeg")
      #expect(listing.position(of: name) == number)
      #expect(listing.name(at: number) == name)
      #expect(listing.kind(at: number) == kinds[number % 6])
    }
    for absent: FileName in ["IMG_10000.jpeg", "IMG_.jpeg", "", "IMG_1.jpe"] {
      #expect(listing.position(of: absent) == nil)
    }
  }

  @Test func `sorts by bytes`() {
    var generator = SeededGenerator(seed: 3)
    let names = Set(
      (0..<2000).map { _ in
        FileName(
          bytes: (0..<Int.random(in: 1...8, using: &generator)).map { _ in
            .random(in: 1...255, using: &generator)
          }
        )
      })
    var entries = DirectoryListing.Builder()
    for name in names { entries.append(name, .file) }
    let listing = DirectoryListing(entries)
    #expect(listing.sortedPositions().map { listing.name(at: $0) } == names.sorted())
  }

  @Test func `lends the bytes of a name`() {
    var entries = DirectoryListing.Builder()
    for name: FileName in ["one", "", "three"] { entries.append(name, .file) }
    let listing = DirectoryListing(entries)
    #expect(
      (0..<3).map { listing.withName(at: $0) { Array($0) } } == [Array("one".utf8), [], Array("three".utf8)])
    #expect(listing.position(of: "") == 1)
  }

  @Test func `is searched by many at once`() async {
    var entries = DirectoryListing.Builder()
    for number in 0..<1000 { entries.append(FileName("\(number)"), .file) }
    let listing = DirectoryListing(entries)
    let found = await withTaskGroup(of: Bool.self) { group in
      for start in 0..<8 {
        group.addTask {
          stride(from: start, to: 1000, by: 8).allSatisfy { listing.position(of: FileName("\($0)")) == $0 }
        }
      }
      return await group.allSatisfy { $0 }
    }
    #expect(found)
  }
}

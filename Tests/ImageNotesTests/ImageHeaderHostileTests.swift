import ImageNotes
import TestSupport
import Testing

@Suite("A hostile or damaged picture")
struct ImageHeaderHostileTests {
  /// The result of reading a header, and its cost.
  private struct Outcome {
    var header: ImageHeader?
    var error: ImageHeaderError?
    var reads = 0
    var isWithinBounds = true
  }

  /// Reads a header from a file of any size; a closure computes its bytes.
  private func outcome(size: UInt64, _ byte: (UInt64) -> UInt8) throws -> Outcome {
    var outcome = Outcome()
    do throws(any Error) {
      outcome.header = try ImageHeader(size: size) { offset, count in
        outcome.reads += 1
        let fits = offset <= size && UInt64(count) <= size - offset
        outcome.isWithinBounds = outcome.isWithinBounds && fits && (1...1024).contains(count)
        return (0..<UInt64(count)).map { byte(offset + $0) }
      }
    } catch let error as ImageHeaderError {
      outcome.error = error
    }
    return outcome
  }

  /// Reads a header from a beginning and an endless pattern behind it.
  private func outcome(_ beginning: [UInt8], then pattern: [UInt8]) throws -> Outcome {
    try outcome(size: .max) { offset in
      offset < beginning.count
        ? beginning[Int(offset)] : pattern[Int((offset - UInt64(beginning.count)) % UInt64(pattern.count))]
    }
  }

  /// Accepts any result: a trap would end the tests.
  private func measure(_ bytes: [UInt8]) {
    do throws(ImageHeaderError) {
      let header = try ImageHeader(bytes)
      #expect(header.size.map { $0[0] > 0 && $0[1] > 0 } ?? true)
    } catch {
      #expect(!error.description.isEmpty)
    }
  }

  @Test(arguments: ImageBytes.fixtures)
  func `cut at any length is an error or has the right size`(_ fixture: ImageBytes.Fixture) throws {
    let bytes = try fixture.bytes()
    let whole = try ImageHeader(bytes)
    for length in 0..<bytes.count {
      do throws(ImageHeaderError) {
        let header = try ImageHeader(bytes.prefix(length))
        #expect(header == whole, "\(length) bytes")
      } catch {
        switch error {
        case .unknownFormat: #expect(length < 24, "\(length) bytes")
        case .truncated(let format, _): #expect(format == fixture.format)
        case .impossible, .tooFarAway: Issue.record("\(length) bytes: \(error)")
        }
      }
    }
  }

  @Test(arguments: ImageBytes.fixtures)
  func `with one changed byte is an answer`(_ fixture: ImageBytes.Fixture) throws {
    var bytes = try fixture.bytes()
    for position in bytes.indices.prefix(512) {
      let original = bytes[position]
      for change: UInt8 in [0x01, 0x80, 0xFF] {
        bytes[position] = original ^ change
        measure(bytes)
      }
      bytes[position] = original
    }
  }

  @Test func `made at random is an answer`() throws {
    let fixtures = try ImageBytes.fixtures.map { try $0.bytes() }
    var generator = SeededGenerator(seed: 2026)
    for round in 0..<20_000 {
      var bytes = fixtures[round % fixtures.count]
      // Some files keep only their signature, other files most of their bytes.
      let kept = Bool.random(using: &generator) ? Int.random(in: 0...40, using: &generator) : bytes.count
      bytes.removeLast(bytes.count - min(kept, bytes.count))
      if kept < 41 {
        let tail = Int.random(in: 0...200, using: &generator)
        bytes += (0..<tail).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      }
      for _ in 0..<Int.random(in: 0...8, using: &generator) where !bytes.isEmpty {
        let extremes: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: .min ... .max, using: &generator)]
        let position = Int.random(in: 0..<bytes.count, using: &generator)
        for index in position..<min(position + Int.random(in: 1...8, using: &generator), bytes.count) {
          bytes[index] = extremes.randomElement(using: &generator) ?? 0
        }
      }
      measure(bytes)
    }
  }

  @Test func `that never comes to the point is given up after the promised number of reads`() throws {
    // The number and the size of the reads are bounded (IH1).
    let jpeg: [UInt8] = [0xFF, 0xD8]
    let endless: [(format: ImageHeader.Format, beginning: [UInt8], pattern: [UInt8])] = [
      (.jpeg, jpeg, [0xFF]),
      (.jpeg, jpeg, [0xFF, 0xD0]),
      (.jpeg, jpeg, [0xFF, 0xE0, 0x00, 0x02]),
      (.jpeg, jpeg + [0xFF, 0xE1, 0xFF, 0xFF], [0xFF]),
    ]
    for (format, beginning, pattern) in endless {
      let outcome = try outcome(beginning, then: pattern)
      #expect(outcome.error == .tooFarAway(format))
      #expect(outcome.reads == ImageHeader.maximumReads)
      #expect(outcome.isWithinBounds)
    }
  }

  @Test func `may name any position in its Exif, and is as stored`() throws {
    // Positions near the greatest number do not overflow (IH2).
    let frame = ImageBytes.segment(0xC0, ImageBytes.frame(width: 61, height: 37))
    for (order, offset) in [
      ("II*\0", ImageBytes.little(UInt32.max)), ("MM\0*", ImageBytes.big(UInt32.max - 7)),
    ] {
      let exif = ImageBytes.segment(0xE1, Array("Exif\0\0\(order)".utf8) + offset + [0xFF, 0xFF])
      #expect(try ImageHeader([0xFF, 0xD8] + exif + frame).size == [61, 37])
    }
  }

  @Test func `is cut short when its source has less than it said`() throws {
    let bytes = try ImageBytes.file("Images/ridge.jpeg")
    #expect(throws: ImageHeaderError.unknownFormat) { try ImageHeader(size: 5000) { _, _ in [] } }
    let error = #expect(throws: ImageHeaderError.self) {
      try ImageHeader(size: 5000) { offset, _ in offset == 0 ? Array(bytes.prefix(8)) : [] }
    }
    guard case .truncated(.jpeg, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let header = try ImageHeader(size: UInt64(bytes.count)) { offset, _ in Array(bytes[Int(offset)...]) }
    #expect(header.size == [61, 37])
  }

  @Test func `from a source that fails is the source's error, unchanged`() throws {
    struct Unplugged: Error, Equatable { let read: Int }
    let frame = ImageBytes.segment(0xC0, ImageBytes.frame(width: 61, height: 37))
    let padding = ImageBytes.segment(0xE0, [UInt8](repeating: 0, count: 1010))
    // The second read is within Exif; damage in Exif alone would not be a reason to fail.
    let exif = ImageBytes.segment(0xE1, Array("Exif\0\0MM\0*\0\0\0\u{8}\0\u{1}".utf8))
    let bytes = [0xFF, 0xD8] + padding + exif + frame
    #expect(try ImageHeader(bytes).size == [61, 37])
    for failing in 1...2 {
      var reads = 0
      #expect(throws: Unplugged(read: failing)) {
        try ImageHeader(size: UInt64(bytes.count)) { offset, count in
          reads += 1
          if reads == failing { throw Unplugged(read: reads) }
          return Array(bytes[Int(offset)..<Int(offset) + count])
        }
      }
      #expect(reads == failing)
    }
  }
}

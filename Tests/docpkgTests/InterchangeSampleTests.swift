import DurableIO
import FilePackages
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Samples of other programs through docpkg", .tags(.process), .temporaryDirectory)
struct InterchangeSampleTests {
  /// A document of another program, and the parts that it has.
  struct Sample: Sendable, CustomTestStringConvertible {
    let path: String
    let images: Int
    /// The images that the text does not name.
    let unnamed: Int
    /// Parts that a format other than TextBundle does not hold.
    let losses: String

    var testDescription: String { path }
  }

  private static let samples = [
    Sample(
      path: "textbundle/example-bundle-v1.zip", images: 1, unnamed: 0, losses: "the keys of other programs; "),
    Sample(
      path: "textbundle/example-bundle-v2.zip", images: 1, unnamed: 0, losses: "the keys of other programs; "),
    Sample(
      path: "textbundle/example.textpack", images: 1, unnamed: 0, losses: "the keys of other programs; "),
    Sample(
      path: "textbundle/shapes/only text.textbundle", images: 0, unnamed: 0,
      losses: "the keys of other programs; "),
    Sample(
      path: "textbundle/shapes/text plus attachments.textbundle", images: 1, unnamed: 1,
      losses: "the keys of other programs; "),
    Sample(
      path: "textbundle/shapes/invalid zipped textbundle.textbundle", images: 0, unnamed: 0,
      losses: "the keys of other programs; "),
    Sample(path: "README.rtfd", images: 2, unnamed: 1, losses: "1 original filename; "),
  ]

  private struct Shown: Decodable, Equatable {
    struct Image: Decodable, Equatable {
      var name: String
      var originalFilename: String
      var caption: String
      var format: String?
      var width: Int?
      var size: Int?
    }

    var title: String
    var text: String
    var images: [Image]
  }

  private func shown(_ name: String) throws -> Shown {
    let run = try docpkg("show", name, "--json")
    #expect(run.status == 0, "\(run.errors)")
    return try decoded(run)
  }

  @Test(.samples, arguments: samples.filter { $0.unnamed == 0 && $0.path.hasPrefix("textbundle/") })
  func `of TextBundle are the same after a trip through a document, and all but the keys to the byte`(
    sample: Sample
  ) throws {
    let path = sampleFolder.appending(path: sample.path).path
    let from = sample.path.hasSuffix(".zip") ? ["--from", "textpack"] : []
    #expect(try run(tool, ["import", path, "A.imageNotes"] + from).status == 0)
    try output("export", "A.imageNotes", "A.textbundle")
    // The archive's own folder, without a document in between.
    let isFolder = FileManager.default.fileExists(atPath: path + "/info.json")
    try output(isFolder ? ["copy", path, "B.textbundle"] : ["import", path, "B.textbundle"])
    let same = try run(
      Program(path: "/usr/bin/diff"), ["-r", "-x", "info.json", "A.textbundle", "B.textbundle"])
    #expect(same.status == 0, "\(same.output)")
    let keys = try ["A", "B"].map { name in
      let file = URL(filePath: "\(folder)/\(name).textbundle/info.json")
      return try JSONDecoder().decode([String: PropertyListValue].self, from: Data(contentsOf: file))
    }
    #expect(keys[0] == keys[1])
  }

  @Test(.samples, arguments: samples, ["textbundle", "textpack", "markdown"])
  func `come back from each format, but for the parts that it does not hold`(
    sample: Sample, format: String
  ) throws {
    let path = sampleFolder.appending(path: sample.path).path
    let from = sample.path.hasSuffix(".zip") ? ["--from", "textpack"] : []
    try output(["import", path, "A.imageNotes"] + from)
    var before = try shown("A.imageNotes")
    #expect(before.images.count == sample.images)

    let exported = try run(tool, ["export", "A.imageNotes", "B-\(format)", "--as", format])
    #expect(exported.status == 0, "\(exported.errors)")
    let isBundle = format.hasPrefix("text")
    var notes =
      sample.unnamed == 0 ? "" : "docpkg: note: the text does not name 1 image: it is shown at the end\n"
    notes += "docpkg: note: the format does not hold: \(isBundle ? "" : sample.losses)"
    notes += "the identifier, the dates and the versions\n"
    #expect(exported.errors == notes)

    try output(["import", "B-\(format)", "C.imageNotes", "--from", format])
    var after = try shown("C.imageNotes")
    if sample.losses.contains("original filename") && !isBundle {
      for index in before.images.indices {
        before.images[index].originalFilename = before.images[index].name
      }
    }
    if format == "markdown" && sample.unnamed > 0 {
      #expect(after.text.hasPrefix(before.text) && after.text.contains("![](Images/"))
      after.text = before.text
    }
    #expect(after == before)
    for image in before.images {
      let bytes = try ["A", "C"].map { name in
        try Data(contentsOf: url("\(name).imageNotes/Images/\(image.name)"))
      }
      #expect(bytes[0] == bytes[1])
    }
  }
}

extension Trait where Self == ConditionTrait {
  fileprivate static var samples: Self {
    .enabled(
      if: FileManager.default.fileExists(atPath: sampleFolder.path),
      "the samples have to be in 'shared/samples' beside the package")
  }
}

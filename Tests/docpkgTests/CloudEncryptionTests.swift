import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("The commands of an encrypted container", .tags(.process), .temporaryDirectory)
struct CloudEncryptionTests {
  private func cloud(_ arguments: String..., environment: [String: String] = [:]) throws -> Run {
    try run(tool, ["cloud"] + arguments, environment: environment)
  }

  @Test func `let other machines in with the passphrase or the key, and nobody else`() throws {
    for (name, text) in [("right", "correct horse\n"), ("wrong", "battery"), ("new", "staple")] {
      try write(text, to: name)
    }
    try makeDirectory("disk")
    let made = try cloud("init", "disk", "A", "--encrypt", "--passphrase-file", "right")
    #expect(made.status == 0 && made.output.contains("'docpkg cloud key export'"), "\(made.errors)")
    try write("the hut at last", to: "A/Plan.txt")
    #expect(try cloud("sync", "A").status == 0)
    for arguments in [
      ["add", "disk", "B"], ["add", "disk", "B", "--passphrase-file", "wrong"],
      ["add", "disk", "B", "--key-file", "wrong"],
    ] {
      let refused = try run(tool, ["cloud"] + arguments)
      #expect(refused.status == 2 && refused.output.isEmpty, "\(arguments): \(refused.errors)")
      #expect(!fileExists("B/.docpkg-cloud"))
    }
    #expect(try cloud("key", "export", "A", "container.key").status == 0)
    #expect(try cloud("key", "export", "A", "container.key").errors.contains("File exists"))
    let key = folder.appending("container.key").string
    #expect(try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int == 0o600)
    for (device, secret) in [
      ("B", ["--passphrase-file", "right"]), ("C", ["--key-file", "container.key"]),
    ] {
      try output(["cloud", "add", "disk", device] + secret)
      #expect(try cloud("sync", device).status == 0)
      #expect(try cloud("download", "\(device)/Plan.txt").status == 0)
      #expect(try text("\(device)/Plan.txt") == "the hut at last")
    }
    #expect(
      try cloud("key", "change-passphrase", "B", environment: ["DOCPKG_PASSPHRASE": "staple"])
        .status == 0)
    #expect(try cloud("add", "disk", "D", "--passphrase-file", "right").status == 2)
    #expect(try cloud("add", "disk", "D", "--passphrase-file", "new", "--json").status == 0)
    #expect(try cloud("check", "D", "--read").status == 0)
  }

  @Test func `encrypt in a service unless they are told otherwise`() throws {
    let server = try S3Server()
    let environment = S3Server.environment
    let place = ["--endpoint", server.endpoint, "--region", S3Server.region]
    func connect(_ arguments: String...) throws -> Run {
      try run(tool, ["cloud"] + arguments + place, environment: environment)
    }
    let address = "s3://\(S3Server.bucket)/me"
    let asked = try connect("init", address, "A")
    #expect(asked.status == 2 && asked.errors.contains("--no-encrypt"), "\(asked.errors)")
    try write("correct horse", to: "words")
    let made = try connect("init", address, "A", "--passphrase-file", "words", "--json")
    #expect(made.status == 0 && made.output.contains(#""isEncrypted":true"#), "\(made.output)\(made.errors)")
    let status = try cloud("status", "A", environment: environment)
    #expect(status.output.contains(", encrypted\n"), "\(status.output)\(status.errors)")
    let plain = try connect("init", address + "/plain", "B", "--no-encrypt")
    #expect(plain.status == 0 && plain.output.contains("is not encrypted"), "\(plain.errors)")
    // A user who gives a secret believes that the container is encrypted.
    let refused = try connect("add", address + "/plain", "C", "--passphrase-file", "words")
    #expect(refused.status == 2 && refused.errors.contains("is not encrypted"), "\(refused.errors)")
    #expect(try connect("init", address, "D", "--no-encrypt", "--passphrase-file", "words").status == 64)
    let none = try cloud("key", "export", "B", "key", environment: environment)
    #expect(none.status == 2 && none.errors.contains("is not encrypted"), "\(none.errors)")
  }
}

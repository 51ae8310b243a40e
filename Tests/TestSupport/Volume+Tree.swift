import DurableIO

extension Volume {
  /// The tree that programs see, as a value.
  var tree: TestTree { tree(of: Self.root) ?? [:] }

  private func tree(of number: Node.Number) -> TestTree? {
    guard let node = nodes[number] else { return nil }
    return switch node.kind {
    case .directory: .directory(node.entries.compactMapValues { tree(of: $0) })
    case .symbolicLink: .link(node.bytes.bytes)
    case .file: .file(node.bytes.bytes, mode: node.attributes.mode)
    default: .other(node.kind)
    }
  }
}

/// Calls `body` with each element, some at once, and returns the results in the order of the elements.
func concurrentMap<Element: Sendable, Result: Sendable>(
  _ elements: some Collection<Element>, _ width: Int,
  _ body: @escaping @Sendable (Element) async throws -> Result
) async throws -> [Result] {
  try await withThrowingTaskGroup(of: (Int, Result).self) { group in
    var results = [Result?](repeating: nil, count: elements.count)
    var rest = elements.enumerated().makeIterator()
    func addNext() {
      guard let (index, element) = rest.next() else { return }
      group.addTask { (index, try await body(element)) }
    }
    for _ in 0..<width { addNext() }
    while let (index, result) = try await group.next() {
      results[index] = result
      addNext()
    }
    return results.compactMap { $0 }
  }
}

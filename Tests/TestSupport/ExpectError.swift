package import Testing

/// Expects an error of this type with this code.
package func expect<Failure: Error, Code: Equatable, Result>(
  _ code: KeyPath<Failure, Code>, _ expected: Code, at location: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Result
) async {
  let error = await #expect(throws: Failure.self, sourceLocation: location) { try await body() }
  if let error { #expect(error[keyPath: code] == expected, sourceLocation: location) }
}

package func expect<Failure: Error, Code: Equatable, Result>(
  _ code: KeyPath<Failure, Code>, _ expected: Code, at location: SourceLocation = #_sourceLocation,
  _ body: () throws -> Result
) {
  let error = #expect(throws: Failure.self, sourceLocation: location) { try body() }
  if let error { #expect(error[keyPath: code] == expected, sourceLocation: location) }
}

public import Documents

extension UTType {
  /// Text with images, as a package: `com.filepackages.imagenotes`, extension `imageNotes`.
  public static let imageNotes: UTType = {
    do {
      return try UTType.declare(
        exported: Declaration(
          identifier: "com.filepackages.imagenotes", conformsTo: [.package, .compositeContent],
          filenameExtensions: ["imageNotes"], mimeTypes: ["application/x-imagenotes"],
          description: "Image Notes document"))
    } catch {
      preconditionFailure("the declaration of ImageNotes' own type is not valid: \(error)")
    }
  }()
}

// SwiftPM asks for a source file.

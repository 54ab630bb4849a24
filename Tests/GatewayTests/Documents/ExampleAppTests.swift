import Foundation
import Testing

@testable import API
@testable import Gateway

@Suite(.blocking) struct ExampleAppTests {
  @Test func isTheOneInTheRepository() throws {
    let config = "\(GatewayFixture.repository)/config"
    let found = try #require(FileManager.default.enumerator(atPath: "\(config)/example-app")).compactMap {
      entry -> String? in
      var isFolder: ObjCBool = false
      guard let path = entry as? String else { return nil }
      _ = FileManager.default.fileExists(atPath: "\(config)/example-app/\(path)", isDirectory: &isFolder)
      return isFolder.boolValue ? nil : "example-app/\(path)"
    }
    #expect(Set(ExampleApp.files.map(\.path)) == Set(found + ["catalog.yaml"]))
    for file in ExampleApp.files {
      let text = try String(contentsOf: URL(filePath: "\(config)/\(file.path)"), encoding: .utf8)
      #expect(file.text == text, "\(file.path)")
    }
  }
}

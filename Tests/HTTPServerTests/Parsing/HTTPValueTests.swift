import Testing

@testable import HTTPServer

struct HTTPValueTests {
  @Test func headerNamesAreCaseInsensitive() {
    var headers: HTTPHeaders = ["Content-Type": "a", "X-A": "1", "x-a": "2"]
    #expect(headers["content-TYPE"] == "a")
    #expect(headers.values(of: "X-a") == ["1", "2"])
    headers["X-A"] = "3"
    #expect(headers.map { "\($0.name)=\($0.value)" } == ["Content-Type=a", "X-A=3"])
    headers["X-A"] = nil
    #expect(headers.count == 1)
    // Letters that only Unicode's case folding equates are distinct.
    #expect(HTTPHeaders([("X-\u{212A}", "kelvin")])["X-K"] == nil)
  }

  @Test func controlCharactersAreFoundAnywhereInAValue() {
    for count in 0..<20 {
      for place in 0..<count {
        for byte in [0x00, 0x09, 0x0A, 0x1F, 0x20, 0x7E, 0x7F, 0x80, 0x9F, 0xFF] as [UInt8] {
          var bytes = [UInt8](repeating: 0xA0, count: count)
          bytes[place] = byte
          #expect(bytes.withUnsafeBufferPointer(ASCII.areFieldValueBytes) == ASCII.isFieldValueByte(byte))
        }
      }
    }
  }

  @Test(arguments: [
    ("/a/b", "/a/b", nil), ("/a?b=c?d", "/a", "b=c?d"), ("/a?", "/a", ""), ("*", "*", nil),
    ("http://h/x?y", "/x", "y"), ("http://h", "/", nil), ("http://h?y", "/", "y"),
    ("/go?to=http://h/x", "/go", "to=http://h/x"), ("/a/://b", "/a/://b", nil),
  ])
  func splitsTargets(target: String, path: String, query: String?) {
    let head = HTTPRequestHead(method: "GET", target: target)
    #expect(head.path == path)
    #expect(head.query == query)
  }

  @Test func readsQueryItems() {
    func items(_ query: String) -> [String]? {
      HTTPRequestHead(method: "GET", target: "/?\(query)").queryItems()?.map { "\($0.name)=\($0.value)" }
    }
    #expect(items("a=1&b=x%20y+z&a=%C3%A9&c&&d==") == ["a=1", "b=x y z", "a=é", "c=", "d=="])
    #expect(items("a=%2526") == ["a=%26"])
    #expect(items("a=%C0%AF") == nil)
    #expect(items("a=%zz") == nil)
    #expect(items("") == [])
    #expect(HTTPRequestHead(method: "GET", target: "/").queryItems()?.count == 0)
  }

  @Test func decodesPathsOnce() {
    #expect(HTTPRequestHead.percentDecoded("a%2Fb+c%25") == "a/b+c%")
    #expect(HTTPRequestHead.percentDecoded("%") == nil)
    #expect(HTTPRequestHead.percentDecoded("%FF") == nil)
  }

  @Test func responderWithoutAServerAnswersOnce() async {
    await confirmation(expectedCount: 3) { answered in
      let responder = HTTPResponder { response in
        #expect(response?.status == 204)
        answered()
      }
      responder.respond(HTTPResponse(status: 204))
      responder.abort()
      HTTPResponder { response in
        #expect(response == nil)
        answered()
      }.abort()
      // Dropped without an answer.
      _ = HTTPResponder { response in
        #expect(response?.status == 500)
        answered()
      }
    }
  }
}

struct DeadlineHeapTests {
  @Test func returnsTheEarliestDeadline() {
    var heap = DeadlineHeap()
    var model: [Int: UInt64] = [:]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<5000 {
      let slot = Int.random(in: 0..<50, using: &random)
      if Bool.random(using: &random) {
        let deadline = UInt64.random(in: 0..<1000, using: &random)
        heap.set(slot, to: deadline)
        model[slot] = deadline
      } else {
        heap.remove(slot)
        model[slot] = nil
      }
      #expect(heap.earliest?.deadline == model.values.min())
      #expect(heap.deadline(of: slot) == model[slot])
    }
    while let (deadline, slot) = heap.earliest {
      #expect(model[slot] == deadline)
      #expect(deadline == model.values.min())
      heap.remove(slot)
      model[slot] = nil
    }
    #expect(model.isEmpty)
  }
}

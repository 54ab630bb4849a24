internal import CCurl

/// Request headers in libcurl's form, made once and shared by many requests.
///
/// `@unchecked Sendable`: the list is not changed after `init`, and libcurl only reads it.
package final class HeaderList: @unchecked Sendable {
  let list: UnsafeMutablePointer<curl_slist>?
  /// The list that follows on the own lines, and the last of them.
  private let rest: HeaderList?
  private let ownEnd: UnsafeMutablePointer<curl_slist>?

  /// Lines as they are sent; `Expect:` suppresses a header that libcurl would add.
  package init(_ lines: [String]) {
    var list: UnsafeMutablePointer<curl_slist>?
    // An append that fails for want of memory leaves the list as it was.
    for line in lines { list = curl_slist_append(list, line) ?? list }
    self.list = list
    rest = nil
    ownEnd = nil
  }

  /// A few lines of one request's own before a list that many share, which is not copied.
  init(_ lines: [String], before rest: HeaderList) {
    var own: UnsafeMutablePointer<curl_slist>?
    for line in lines { own = curl_slist_append(own, line) ?? own }
    var end = own
    while let next = end?.pointee.next { end = next }
    end?.pointee.next = rest.list
    list = own ?? rest.list
    ownEnd = end
    self.rest = rest
  }

  deinit {
    // What is shared is its owner's to free.
    ownEnd?.pointee.next = nil
    if rest == nil || ownEnd != nil { curl_slist_free_all(list) }
  }
}

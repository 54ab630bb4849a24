import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Formats fixed and random strings with java.util.Formatter, with String args only, and prints the results as test vectors
 * for Dragoman's formatter. Requires JDK 17. A lone surrogate is written as U+FFFD; everything else is Java's output. The
 * same seed and count produce the same lines.
 *
 * <pre>
 *   java Tests/oracles/FormatterOracle.java 1 6000 > Tests/AppStringsTests/Fixtures/java-formatter.tsv
 *   java Tests/oracles/FormatterOracle.java 2 200000 > vectors.tsv
 *   DRAGOMAN_FORMATTER_VECTORS=vectors.tsv swift test --filter RenderJavaVectorTests
 * </pre>
 *
 * A line has the tab-separated fields language, outcome, format and args, with {@code \\ \t \n \r} escaped. An outcome
 * is {@code =text} or {@code !class: message}.
 */
public final class FormatterOracle {
  private static final String[] LANGUAGES = {"en", "en", "en", "de", "tr", "az", "lt", "fr"};
  private static final String[] ARGS = {
    "", "5", "Bob", "a", "istanbul", "straße", "\u0131i\u0130I", "i\u0307j\u0307\u0323", "\uFB01x", "\u0149",
    "😀", "x😀y", "日本", "e\u0301", "50% %s", "\u00DF\u0390", "\u012F\u0307", "i\u0323\u0307", "false", "\n"
  };
  private static final String[] FIXED = {
    "", "%", "%%", "%n", "100%", "50% off", "100% sure", "5 % d", "100%b", "%s", "%S", "%5s|", "%-5s|",
    "%.1s", "%.0s", "%1$s", "%2$s %1$s", "%s %1$s %s", "%<s", "%s %<s", "%2$s %<S %s", "%1$<s", "%<1$s",
    "%d", "%1$d", "%,d", "%x", "%o", "%f", "%e", "%g", "%a", "%c", "%C", "%tY", "%TY", "%tt", "%t", "%t ",
    "%T%", "%b", "%B", "%.2b", "%h", "%H", "%8h|", "%.1h", "%#s", "%#S", "%#b", "%#h", "%,s", "% s", "%+s",
    "%0s", "%05s", "%(s", "%-s", "%--5s", "%-#5s", "%@", "%1$@", "%ld", "%lld", "%i", "%u", "%p", "%$s",
    "%1 $s", "%\u0661$s", "%0$s", "%00$s", "%01$s", "%10$s", "%2147483647$s", "%2147483648$s",
    "%99999999999$s", "%99999999999s", "%.99999999999s", "%2147483648d", "%.s", "%.-1s", "%.2d", "%+ d",
    "%-05d", "%-d", "%0d", "%#d", "%,x", "%,o", "%(a", "%,a", "%,e", "%#g", "%#f", "%.3c", "%#c", "%-c",
    "%.3tY", "%#tY", "%-tY", "%-.3tY", "% %", "%-%", "%5%|", "%-5%|", "%.3%", "%#%", "%<%", "%1$%", "%5n",
    "%-n", "%.5n", "%-5n", "%1$n", "%D", "%N", "%O", "%F", "\uFF05s", "%é", "%😀", "a%", "%s%", "%1$s%",
    "%d %@", "%s %s %d", "%3$s %d", "%d %3$s", "%#s %s", "%1$#s", "%9$#s", "%x😀%s", "日本%sです",
    "%.1S|%.2S", "%4S|", "%2$S%n%1$-6S|", "%E", "%G", "%A", "%X", "%+X", "%-0X", "% +E", "%,X", "%,E",
    "%(A", "%#G", "%l", "%s%%%S", "%%s", "%%%s", "%-10.3s|", "%010s", "%10.0s|", "%-+s", "%,,d", "%##s",
    "%((d", "%<<s", "%00d", "%  d", "%++d"
  };
  private static final String[] TOKENS = {
    "%", "%", "%", "%", "%s", "%1$s", "%2$s", "%<s", "%d", "%%", "%n", "%S", "%b", "%h", "$", "1$", "2$",
    "3$", "0$",
    "-", "#", "+", " ", "0", ",", "(", "<", "1", "2", "5", "12", "007", "2147483648", "99999999999", ".",
    ".1", ".2",
    ".0", "s", "S", "d", "x", "X", "o", "f", "e", "g", "a", "A", "E", "G", "c", "C", "b", "B", "h", "H",
    "n", "t", "T",
    "tY", "Tc", "tM", "l", "u", "i", "@", "é", "😀", "off", " of ", "日", "\n", "z", "Q"
  };

  public static void main(String[] arguments) {
    Random random = new Random(Long.parseLong(arguments[0]));
    int count = Integer.parseInt(arguments[1]);
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    LinkedHashSet<String> lines = new LinkedHashSet<>();
    for (String format : FIXED) {
      lines.add(line("en", format, List.of("A", "B")));
      lines.add(line("tr", format, List.of("istanbul ß", "x😀y")));
      lines.add(line("en", format, List.of("5")));
      lines.add(line("en", format, List.of()));
    }
    while (lines.size() < count) {
      String format = randomFormat(random);
      if (hasLargeWidth(format)) continue;
      List<String> args = new ArrayList<>();
      for (int n = random.nextInt(5); n > 0; n--) args.add(ARGS[random.nextInt(ARGS.length)]);
      lines.add(line(LANGUAGES[random.nextInt(LANGUAGES.length)], format, args));
    }
    for (String line : lines) out.print(line + "\n");
    out.flush();
  }

  private static String randomFormat(Random random) {
    StringBuilder format = new StringBuilder();
    boolean wellFormed = random.nextInt(3) == 0;
    for (int n = 1 + random.nextInt(wellFormed ? 4 : 7); n > 0; n--) {
      if (wellFormed) {
        format.append(specifier(random)).append(random.nextBoolean() ? " " : "");
      } else {
        format.append(TOKENS[random.nextInt(TOKENS.length)]);
      }
    }
    return format.toString();
  }

  /** Returns a specifier that is usually valid. */
  private static String specifier(Random random) {
    StringBuilder text = new StringBuilder("%");
    if (random.nextInt(3) == 0) text.append(1 + random.nextInt(3)).append('$');
    for (char flag : "<-#+ 0,(".toCharArray()) if (random.nextInt(12) == 0) text.append(flag);
    if (random.nextInt(3) == 0) text.append(1 + random.nextInt(12));
    if (random.nextInt(5) == 0) text.append('.').append(random.nextInt(4));
    String conversions = "ssssssSSSSbBhHnn%%dxfcteg";
    char conversion = conversions.charAt(random.nextInt(conversions.length()));
    return text.append(conversion == 't' ? "tY" : String.valueOf(conversion)).toString();
  }

  /** Whether a width in the format would produce megabytes of text. */
  private static boolean hasLargeWidth(String format) {
    for (String run : format.split("[^0-9]+")) {
      if (run.length() > 18) return true;
      if (run.isEmpty()) continue;
      long value = Long.parseLong(run);
      if (value > 500 && value <= Integer.MAX_VALUE) return true;
    }
    return false;
  }

  private static String line(String language, String format, List<String> args) {
    String outcome;
    try {
      outcome = "=" + String.format(Locale.forLanguageTag(language), format, args.toArray());
    } catch (java.util.IllegalFormatException exception) {
      outcome = "!" + exception.getClass().getName() + ": " + exception.getMessage();
    }
    StringBuilder line = new StringBuilder(language);
    line.append('\t').append(escaped(outcome)).append('\t').append(escaped(format));
    for (String arg : args) line.append('\t').append(escaped(arg));
    return line.toString();
  }

  private static String escaped(String text) {
    StringBuilder result = new StringBuilder();
    text.codePoints().forEach(point -> {
      switch (point) {
        case '\\' -> result.append("\\\\");
        case '\t' -> result.append("\\t");
        case '\n' -> result.append("\\n");
        case '\r' -> result.append("\\r");
        default -> result.appendCodePoint(point >= 0xD800 && point <= 0xDFFF ? 0xFFFD : point);
      }
    });
    return result.toString();
  }
}

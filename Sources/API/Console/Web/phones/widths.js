// How wide texts are on phones, whatever fonts the viewer has: mean advance widths that scripts/font-widths measures
// (docs/devices.md, "Length").

/// Each stands for its index, in eightieths of an em.
const digits = " !#%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~";
const characters = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~¡¢£¤¥¦§¨©ª«®¯°±²³´µ¶·¸¹º»¼½¾¿ÆÐ×ØÞßæð÷øþĐđĦħıŁłŊŋŒœŦŧƏəΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρςστυφχψωЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюяѐёђѓєѕіїјљњћќѝўџҐґ–—‘’‚“”„†•…‰‹›€₽№™−";
const fonts = {
  android400: "67<SO^T0=>DO287COOOOOOOOOO53KNLHlVTVVONX[8NTMj[YTYSRRVUkTRR7C7CF;NOLOL>ON55K5jNPOO=K<NI_JHJ=6=X6NQ[L5SCcFHcG@M??;OI76?FH^bbHoXMYQRhQPOPXRZO6M8YOpmR<YLVTNZOR[X8TVj[PY[TPRR[TYWOQJOMKOP<ONOIIPROMOLNZNZf_NXR88NzzeT[T[VTTN_OmR[[U[j[Y[TVRTbT^YoraiTXlUNNPDRLaKPPMP^PPPOLHH]JQNefTbMMeNLLNDMK565hiOMPHPNFVb222>?>N=Xq::OWvTP",
  android500: "67<SO^U0>>EO4<8BOOOOOOOOOO75KOLIlWUVVONX[9NTMj[YUYTRSVVjUSR8C8DF<MOLOM>ON66L6jNPOO>K=NJ^JIJ=6=W7OQZM6TEcFIcI@M@@<QI97@GI]bcIoWMYRShQPOPWS[P7N9ZOqlS=YLWUO]OR[Y9TVj[PY[UPSS^U[XORKONKOP=PNQJKPTOLPLN]N]f_OXR99NyzdT[T[WTUO_OpR[[V[j[Y[UVSTdU_YptajTWmTMOPDTMeKPPNP_PPPOLJI]JRNfiUdNLeNMMNDLK676hiONPIPNFVb434AA@N>Zq::OYvTO",
  ios400: "77ASTdT3>>IV7F7=SFQTTQSNRS77VVVInWU[ZQP]]6LUNj^_T_TTT]WoTVS>=>FEINRMRO>RP44L4hPQRR?K>OMdLML>;>V7MS[M6MPlELVEEVBCISQ76:ELimoIrZV_SRmOVQRZRaP4N4^PorT>[OWUOWQS]_6UWj^L_[TSTV^Ta_TPLLLKPL6SPSOLQSNLSGP[Q^dcOVT66Ly}kU^SZWVUO^QoT^^TZj]_[T[TSbT^ZoqdgUVtVNPNESOeHQQLP^OQORMLMWLTOdhU^MLdNOOPELK444mkPLQMOOFIs101???SNdv==VYzQV",
  ios600: "59@TUfV2@@LW8F8?VGRUVSUPTU88WWWLs[U][QP^]7NWNk]aTaUUV[[sXYU@?@GFIOSOSP?SR66N6kRQSSAM?QOfNON@=@W9OU^N:OMlGQVKEWCDIUQ8<:GQilpLt[WaUTlPWQR[ScR6O6]RrqV?^P[UO[QU]a7W[k]Ra^TUVYdXdaUQLRNLRR9UQURNQYPNUKPcRbjfOXU77N|}kW]U[[UUOaQvU]]X[k]a^T]VUfXa^tvdiVXvWOQNFUPhJQQNQ_PQPSOMO^NUPflXbOMeOPPRFNM666nlRNQOPOGIs323AAAQHcy??W[{SW",
};
/// The first and the last code point of a script, and the width of one of its code points, in em.
const scripts = [
  [0x530, 0x58f, .66], [0x590, 0x5ff, .56], [0x600, 0x77f, .49], [0x900, 0x97f, .42], [0x980, 0x9ff, .53],
  [0xa00, 0xa7f, .37], [0xa80, 0xaff, .41], [0xb80, 0xbff, .66], [0xc00, 0xc7f, .47], [0xc80, 0xcff, .40],
  [0xd00, 0xd7f, .65], [0xd80, 0xdff, .67], [0xe00, 0xe7f, .39], [0xe80, 0xeff, .40], [0x1000, 0x109f, .54],
  [0x10a0, 0x10ff, .66], [0x1200, 0x139f, .65], [0x1780, 0x17ff, .40], [0xac00, 0xd7af, .92],
];
/// Chinese, Japanese and full-width characters fill a square; an emoji is a little wider.
const square = /[\u1100-\u115f\u2e80-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3ffff}]/u;
const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
const emojiWidth = 1.25;
const unknown = 0.56;

const known = Object.fromEntries(Object.entries(fonts).map(([font, widths]) =>
  [font, new Map([...characters].map((character, index) => [character, digits.indexOf(widths[index]) / 80]))]));

function codePointWidth(character, widths) {
  const own = widths.get(character);
  if (own !== undefined) return own;
  if (/\s/.test(character)) return widths.get(" ");
  const code = character.codePointAt(0);
  const script = scripts.find(([first, last]) => code >= first && code <= last);
  // The mean of a script counts its marks.
  if (script) return script[2];
  if (/[\p{M}\p{Cf}\p{Cc}]/u.test(character)) return 0;
  return square.test(character) ? 1 : unknown;
}

/// The width of a grapheme, in em, in a font such as `android400`.
export function graphemeWidth(grapheme, font) {
  if (grapheme.length === 1 && known[font].has(grapheme)) return known[font].get(grapheme);
  if (emoji.test(grapheme) && !/^[\d#*\u00a9\u00ae\u2122]$/.test(grapheme)) return emojiWidth;
  return [...grapheme.normalize("NFD")].reduce((sum, character) => sum + codePointWidth(character, known[font]), 0);
}

// What no regular expression can tell: where the end of a line ends something, and where the text of a multi-line string stops.
// Nothing is remembered between tokens, so an edit anywhere needs no state.

#include "tree_sitter/parser.h"

enum Token { NEWLINE, BEFORE_ELSE, TEXT_DOLLAR, TEXT_PERCENT, TEXT_AT, TEXT_TWO, RECOVERING };

static bool is_word(int32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c > 127;
}

static bool is_blank(int32_t c) { return c == ' ' || c == '\t' || c == '\r'; }

// Whether the word `else` is next, and nothing that makes it a name: an attribute may be called so.
static bool at_else(TSLexer *lexer) {
  for (const char *letter = "else"; *letter; letter++) {
    if (lexer->lookahead != *letter) return false;
    lexer->advance(lexer, false);
  }
  return !is_word(lexer->lookahead);
}

// The token is empty: blank lines and comments behind it are read again, as what they are.
static bool scan_newline(TSLexer *lexer, const bool *valid) {
  bool ended = false;
  bool commented = false;
  lexer->mark_end(lexer);
  for (;;) {
    if (lexer->lookahead == '\n') {
      ended = true;
      lexer->advance(lexer, false);
    } else if (is_blank(lexer->lookahead)) {
      lexer->advance(lexer, false);
    } else if (lexer->lookahead == '#') {
      commented = true;
      while (lexer->lookahead != '\n' && !lexer->eof(lexer)) lexer->advance(lexer, false);
    } else {
      break;
    }
  }
  if (!ended) return false;
  switch (lexer->lookahead) {
    case '}':
    case ']':
    case ')':
    case ',':
    case '|': // a further part of a type
      return false;
    case 'e':
      if (valid[BEFORE_ELSE] && !commented && at_else(lexer)) {
        lexer->result_symbol = BEFORE_ELSE;
        return true;
      }
  }
  if (!valid[NEWLINE]) return false;
  lexer->result_symbol = NEWLINE;
  return true;
}

// To the closing quotes or to what opens an interpolation: `sign` once or, for `$$`, twice, and a brace.
static bool scan_text(TSLexer *lexer, enum Token token, int32_t sign, int signs) {
  bool some = false;
  for (;;) {
    lexer->mark_end(lexer);
    if (lexer->eof(lexer)) break;
    if (lexer->lookahead == '"') {
      int quotes = 0;
      while (lexer->lookahead == '"' && quotes < 3) {
        quotes++;
        lexer->advance(lexer, false);
      }
      if (quotes == 3) break;
    } else if (lexer->lookahead == sign) {
      int run = 0;
      while (lexer->lookahead == sign) {
        lexer->advance(lexer, false);
        run++;
        // Of a longer run the last signs open it: the others are texts of their own.
        if (run == 1 && !some) lexer->mark_end(lexer);
      }
      if (run >= signs && lexer->lookahead == '{') {
        some = some || run > signs;
        break;
      }
    } else {
      lexer->advance(lexer, false);
    }
    some = true;
  }
  lexer->result_symbol = token;
  return some;
}

void *tree_sitter_slipform_external_scanner_create(void) { return NULL; }
void tree_sitter_slipform_external_scanner_destroy(void *payload) { (void)payload; }
unsigned tree_sitter_slipform_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload;
  (void)buffer;
  return 0;
}
void tree_sitter_slipform_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  (void)payload;
  (void)buffer;
  (void)length;
}

bool tree_sitter_slipform_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  (void)payload;
  if (valid[RECOVERING]) return false;
  if (valid[TEXT_DOLLAR]) return scan_text(lexer, TEXT_DOLLAR, '$', 1);
  if (valid[TEXT_PERCENT]) return scan_text(lexer, TEXT_PERCENT, '%', 1);
  if (valid[TEXT_AT]) return scan_text(lexer, TEXT_AT, '@', 1);
  if (valid[TEXT_TWO]) return scan_text(lexer, TEXT_TWO, '$', 2);
  if (valid[NEWLINE] || valid[BEFORE_ELSE]) return scan_newline(lexer, valid);
  return false;
}

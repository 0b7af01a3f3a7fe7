;;; slipform-mode.el --- Blueprints of AI training infrastructure  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages, tools
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Colours, indents and comments blueprints (`.bp'), and tells Eglot of the server, `slipform lsp': \\[eglot] starts it.
;; Eglot is part of Emacs from version 29 on, and a package of GNU ELPA before.

;;; Code:

(require 'rx)
(require 'seq)

(defvar eglot-server-programs)

(defgroup slipform nil
  "Blueprints of AI training infrastructure."
  :group 'languages)

(defcustom slipform-program "slipform"
  "The compiler, which is the server too."
  :type 'string)

(defcustom slipform-environment ""
  "The environment that blueprints are checked for; empty for the usual one."
  :type 'string
  :safe #'stringp)

(defcustom slipform-set nil
  "Values of parameters, as `--set' gives them: ((\"nodes\" . \"16\"))."
  :type '(alist :key-type string :value-type string)
  :safe #'listp)

(defcustom slipform-indent-offset 2
  "Spaces that the inside of brackets is indented by."
  :type 'integer
  :safe #'integerp)

(defvar slipform-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\\ "\\" table)
    (modify-syntax-entry ?_ "_" table)
    (dolist (sign '(?= ?< ?> ?! ?+ ?- ?* ?/ ?% ?| ?? ?@ ?$ ?. ?, ?: ?&))
      (modify-syntax-entry sign "." table))
    table))

(defun slipform--fence ()
  "Mark the matched quotes as the beginning or the end of a text of several lines."
  (let* ((start (match-beginning 0))
         (state (save-excursion (syntax-ppss start)))
         (inside (nth 3 state)))
    (cond ((nth 4 state))
          ((eq inside t)
           (put-text-property (1- (match-end 0)) (match-end 0) 'syntax-table (string-to-syntax "|")))
          ((not inside)
           (put-text-property start (1+ start) 'syntax-table (string-to-syntax "|"))))))

(defun slipform--put-in ()
  "Keep the quotes of what is put into a text behind the match from ending it."
  (when (eq (nth 3 (save-excursion (syntax-ppss (match-beginning 0)))) ?\")
    (let ((depth 1) (end (line-end-position)))
      (save-excursion
        (while (and (> depth 0) (< (point) end))
          (pcase (char-after)
            (?{ (setq depth (1+ depth)))
            (?} (setq depth (1- depth)))
            (?\" (put-text-property (point) (1+ (point)) 'syntax-table (string-to-syntax "."))))
          (forward-char))))))

(defconst slipform--propertize
  (syntax-propertize-rules
   ("\"\"\"" (0 (ignore (slipform--fence))))
   ("\\${" (0 (ignore (slipform--put-in)))))
  "Fences texts in three quotes, and what is put into others.")

(eval-and-compile
  (defconst slipform--name "[[:alpha:]_][[:alnum:]_]*")
  (defconst slipform--functions
    '("all" "before" "ceil" "chips" "compute_capability" "counted" "covers" "ends_with" "floor" "form" "hosts" "join" "keys" "len"
      "limit" "lower" "matches" "max" "merge" "min" "offered_in" "older" "overlaps" "product" "region_of" "replace" "split"
      "starts_with" "subnet" "sum" "text" "upper"))
  (defconst slipform--openers
    '("use" "param" "let" "output" "assert" "type" "kind" "rule" "component" "patch" "allow" "existing" "derived" "when"
      "require" "error" "warning" "help" "symptom" "since" "label" "fix")
    "Words that begin a statement or a clause.")
  (defconst slipform--words
    '("and" "or" "not" "in" "at" "is" "set" "if" "else" "for" "by" "where" "as" "on" "matching" "deferred")
    "Words within a statement.")
  (defconst slipform--word
    (concat "^[ \t]*" (regexp-opt slipform--openers t) "\\_>\\|" (regexp-opt slipform--words 'symbols))))

(defun slipform--match-word (limit)
  "Find a word up to LIMIT that is no name: of a field, or behind a dot."
  (let (found)
    (while (and (not found) (re-search-forward slipform--word limit t))
      (let ((start (or (match-beginning 1) (match-beginning 2))))
        (setq found (not (or (looking-at "[ \t]*\\(?:=\\(?:[^=]\\|$\\)\\|:\\)")
                             (and (eq (char-before start) ?.)
                                  (not (eq (char-before (1- start)) ?.))))))))
    found))

(defconst slipform-font-lock-keywords
  `(;; cluster gpus on gke {
    (,(concat "^[ \t]*\\(?:\\(existing\\)[ \t]+\\)?\\(" slipform--name "\\)[ \t]+\\(" slipform--name
              "\\)\\(?:[ \t]+\\(on\\)[ \t]+\\(" slipform--name "\\)[^{\n]*\\)?[ \t]*{")
     (1 font-lock-keyword-face nil t)
     (2 (unless (member (match-string 2) ',(append slipform--openers slipform--words)) font-lock-type-face))
     (3 (unless (member (match-string 2) ',(append slipform--openers slipform--words)) font-lock-function-name-face))
     (4 font-lock-keyword-face nil t))
    (,(concat "\\_<\\(type\\|kind\\|component\\)[ \t]+\\(" slipform--name "\\)") 2 font-lock-type-face)
    (,(concat "^[ \t]*\\(?:param\\|let\\|output\\)[ \t]+\\(" slipform--name "\\)") 1 font-lock-variable-name-face)
    (,(concat "^[ \t]*\\(?:rule\\|allow\\)[ \t]+\\([[:alpha:]_][-[:alnum:]_/]*\\)") 1 font-lock-constant-face)
    ;; Fields, and names of types behind them.
    (,(concat "\\_<\\(" slipform--name "\\)\\_>[ \t]*\\(?:=\\(?:[^=]\\|$\\)\\|:\\)") 1 font-lock-variable-name-face)
    (,(concat "\\.\\(" slipform--name "\\)") 1 'default)
    (,(concat "\\_<fix[ \t]+" (regexp-opt '("set" "remove") t) "\\_>") 1 font-lock-keyword-face)
    (slipform--match-word (1 font-lock-keyword-face nil t) (2 font-lock-keyword-face nil t))
    (,(regexp-opt '("true" "false" "auto") 'symbols) . font-lock-constant-face)
    ("\\_<self\\_>" . font-lock-builtin-face)
    (,(concat (regexp-opt slipform--functions 'symbols) "(") 1 font-lock-builtin-face)
    (,(concat "\\_<\\(" slipform--name "\\)(") 1 font-lock-function-name-face)
    ("\\_<[A-Z][[:alnum:]_]*\\_>" . font-lock-type-face)
    ("\\_<\\(?:bool\\|int\\|float\\|string\\)\\_>" . font-lock-type-face)
    ("\\_<[0-9][[:alnum:]_.]*\\(?:/[0-9]+\\)?" . font-lock-constant-face)
    ;; What is put into texts.
    ("\\(?:\\$\\$\\|[$%@]\\){[^}\n]*}" 0 font-lock-variable-name-face prepend))
  "What has a colour in blueprints.")

(defun slipform--syntactic-face (state)
  "The face of the comment or the text that STATE is in, as `syntax-ppss' has it."
  (cond ((nth 3 state) font-lock-string-face)
        ((save-excursion (goto-char (nth 8 state)) (looking-at "##\\(?:[^#]\\|$\\)")) font-lock-doc-face)
        (t font-lock-comment-face)))

(defun slipform--above ()
  "Go to the last line above that says something; nil where there is none."
  (let (found)
    (while (and (not found) (zerop (forward-line -1)))
      (back-to-indentation)
      (setq found (not (or (eolp) (eq (char-after) ?#) (nth 3 (syntax-ppss (line-beginning-position)))))))
    found))

(defun slipform--goes-on-p ()
  "Whether the last word of the line at point lets its statement go on."
  (save-excursion
    (end-of-line)
    (let ((state (syntax-ppss)))
      (when (nth 4 state) (goto-char (nth 8 state))))
    (skip-chars-backward " \t")
    (if (eq (char-before) ?,)
        (save-excursion (back-to-indentation) (looking-at "assert\\_>"))
      (looking-back (rx (or (seq (any " \t") (or "and" "or" "in" "at" "not")) (any "=<>|+*/%-") ".."))
                    (line-beginning-position)))))

(defun slipform--awaited-p (&optional bracket)
  "Whether the line above, if it is within BRACKET, cannot end its statement."
  (save-excursion
    (and (slipform--above)
         (or (not bracket) (> (point) bracket))
         (slipform--goes-on-p))))

(defun slipform--comprehension-p (bracket)
  "Whether BRACKET opens a list that is made of another."
  (save-excursion
    (goto-char bracket)
    (looking-at "\\[[ \t]*for\\_>")))

(defun slipform--followed-p (bracket)
  "Whether something follows BRACKET on its line.
What goes on inside of it is then indented as it is."
  (save-excursion
    (goto-char (1+ bracket))
    (not (looking-at "[ \t]*\\(?:#\\|$\\)"))))

(defun slipform--continued-p (bracket)
  "Whether the line at point, within BRACKET, goes on with a statement."
  (save-excursion
    (back-to-indentation)
    (or (looking-at "|\\(?:[ \t]\\|$\\)\\|\\(?:and\\|or\\)\\_>[ \t]*[^ \t=:\n]")
        (and (not (and bracket (slipform--followed-p bracket)))
             (slipform--awaited-p bracket)))))

(defun slipform--base (bracket)
  "The column that the inside of BRACKET is indented from."
  (save-excursion
    (goto-char bracket)
    (let ((around (nth 1 (syntax-ppss)))
          (body (eq (char-after) ?{)))
      (if (and around (slipform--comprehension-p around))
          (slipform--base around)
        (back-to-indentation)
        ;; a condition that goes on ends with its body, which belongs to the line that it began in
        (- (current-column)
           (if (and body (not (looking-at "|")) (slipform--awaited-p around)) slipform-indent-offset 0))))))

(defun slipform--column ()
  "The column that the line at point begins in; nil within a text."
  (save-excursion
    (back-to-indentation)
    (let* ((state (syntax-ppss))
           (around (nth 1 state))
           (closes (looking-at "[]})]")))
      (cond ((nth 3 (syntax-ppss (line-beginning-position))) nil)
            (closes (slipform--base around))
            (t (+ (if around (+ (slipform--base around) slipform-indent-offset) 0)
                  (if (slipform--continued-p around) slipform-indent-offset 0)))))))

(defun slipform-indent-line ()
  "Indent the line at point as `slipform fmt' would; texts are left as they are."
  (interactive)
  (let ((column (slipform--column))
        (behind (> (current-column) (current-indentation))))
    (if (not column)
        'noindent
      (if behind
          (save-excursion (indent-line-to column))
        (indent-line-to column)))))

(defvar slipform-imenu
  `((nil ,(concat "^\\(?:existing[ \t]+\\)?" slipform--name "[ \t]+\\(" slipform--name "\\)\\(?:[ \t]+on[ \t].*\\)?[ \t]*{") 1)
    ("Parameters" ,(concat "^param[ \t]+\\(" slipform--name "\\)") 1))
  "Nouns and parameters.")

;;;###autoload
(define-derived-mode slipform-mode prog-mode "Slipform"
  "Major mode for blueprints of AI training infrastructure."
  (setq-local comment-start "# ")
  (setq-local comment-start-skip "#+[ \t]*")
  (setq-local comment-end "")
  (setq-local indent-tabs-mode nil)
  (setq-local indent-line-function #'slipform-indent-line)
  (setq-local electric-indent-chars (append "}])" electric-indent-chars))
  (setq-local syntax-propertize-function slipform--propertize)
  (setq-local imenu-generic-expression slipform-imenu)
  (setq-local font-lock-defaults
              '(slipform-font-lock-keywords nil nil nil (font-lock-syntactic-face-function . slipform--syntactic-face))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.bp\\'" . slipform-mode))

;; What Eglot has no words for. It shows no lenses: these ask for what stands in them.

(declare-function eglot-current-server "eglot")
(declare-function eglot--TextDocumentIdentifier "eglot")
(declare-function eglot--TextDocumentPositionParams "eglot")
(declare-function eglot--apply-text-edits "eglot")
(declare-function jsonrpc-request "jsonrpc")
(declare-function jsonrpc-notify "jsonrpc")

(defun slipform--chosen ()
  "What the server is told: an environment and values of parameters."
  (let ((set (make-hash-table :test #'equal)))
    (dolist (value slipform-set) (puthash (car value) (cdr value) set))
    (list :environment slipform-environment :set set)))

(defun slipform--ask (method params)
  "What the server answers to METHOD with PARAMS."
  (let ((server (and (fboundp 'eglot-current-server) (eglot-current-server))))
    (unless server (user-error "No server is running here: M-x eglot starts it"))
    (jsonrpc-request server method params)))

(defun slipform--lenses (command)
  "The lenses of the buffer that carry COMMAND."
  (let (found)
    (mapc (lambda (lens)
            (when (equal (plist-get (plist-get lens :command) :command) command) (push lens found)))
          (slipform--ask :textDocument/codeLens (list :textDocument (eglot--TextDocumentIdentifier))))
    (nreverse found)))

(defun slipform--line (range)
  "The line that RANGE begins in, counted from 1."
  (1+ (plist-get (plist-get range :start) :line)))

(defun slipform-choose-environment (environment)
  "Have blueprints checked for ENVIRONMENT, one of those of the project."
  (interactive
   (let* ((lens (car (or (slipform--lenses "slipform.chooseEnvironment")
                         (user-error "This project has no environments"))))
          (arguments (plist-get (plist-get lens :command) :arguments)))
     (list (completing-read "Environment: " (append (aref arguments 0) nil) nil t nil nil (aref arguments 1)))))
  (setq slipform-environment environment)
  (jsonrpc-notify (eglot-current-server) :workspace/didChangeConfiguration
                  (list :settings (list :slipform (slipform--chosen)))))

(defun slipform-show-artifacts ()
  "Show a file that the noun at point renders to, in another window."
  (interactive)
  (let (found)
    (dolist (lens (slipform--lenses "slipform.showArtifacts"))
      (when (<= (slipform--line (plist-get lens :range)) (line-number-at-pos)) (setq found lens)))
    (unless found (user-error "Nothing is rendered of what point is in, or the blueprint has errors"))
    (let* ((arguments (plist-get (plist-get found :command) :arguments))
           (paths (append (aref arguments 2) nil))
           (path (if (cdr paths) (completing-read "File: " paths nil t) (car paths)))
           (said (slipform--ask :slipform/artifact
                                (list :textDocument (list :uri (aref arguments 0)) :path path))))
      (with-current-buffer (get-buffer-create (format "*%s*" path))
        (let ((inhibit-read-only t) (buffer-file-name path))
          (erase-buffer)
          (insert (plist-get said :text))
          (ignore-errors (set-auto-mode)))
        (set-buffer-modified-p nil)
        (goto-char (point-min))
        (view-mode 1)
        (display-buffer (current-buffer))))))

(defun slipform--edit (method params)
  "Make the edits that the server answers to METHOD with PARAMS."
  (let ((edits (slipform--ask method params)))
    (when (> (length edits) 0) (eglot--apply-text-edits edits))))

(defun slipform--position (place)
  "PLACE as the protocol has it."
  (save-excursion (goto-char place) (plist-get (eglot--TextDocumentPositionParams) :position)))

(defun slipform--range ()
  "The region, or point, as the protocol has it."
  (list :start (slipform--position (if (use-region-p) (region-beginning) (point)))
        :end (slipform--position (if (use-region-p) (region-end) (point)))))

(defun slipform-join-lines ()
  "Join the lines of the region, or this one and the next.
What stands in brackets has commas then."
  (interactive)
  (slipform--edit :experimental/joinLines
                  (list :textDocument (eglot--TextDocumentIdentifier) :ranges (vector (slipform--range)))))

(defun slipform--move (direction)
  "Let what point is in change places with its neighbour in DIRECTION."
  (slipform--edit :experimental/moveItem
                  (list :textDocument (eglot--TextDocumentIdentifier) :range (slipform--range) :direction direction)))

(defun slipform-move-up ()
  "Let what point is in change places with what stands above it."
  (interactive)
  (slipform--move "Up"))

(defun slipform-move-down ()
  "Let what point is in change places with what stands below it."
  (interactive)
  (slipform--move "Down"))

(defun slipform-explain (code)
  "Show what CODE means, which is reported or allowed."
  (interactive
   (list (read-string "Code: " (save-excursion
                                 (skip-chars-backward "-/[:alnum:]")
                                 (and (looking-at "[a-z][-a-z0-9]*/[-a-z0-9]+") (match-string 0))))))
  (with-output-to-temp-buffer (format "*slipform %s*" code)
    (call-process slipform-program nil standard-output nil "explain" code)))

(defun slipform-run ()
  "Check, build or test the project: what of it is asked."
  (interactive)
  (let* ((runs (append (slipform--ask :experimental/runnables (list :textDocument (eglot--TextDocumentIdentifier))) nil))
         (label (completing-read "Run: " (mapcar (lambda (it) (plist-get it :label)) runs) nil t))
         (run (seq-find (lambda (it) (equal (plist-get it :label) label)) runs))
         (arguments (plist-get run :args))
         (default-directory (file-name-as-directory (plist-get arguments :cwd))))
    (compile (mapconcat #'shell-quote-argument (cons slipform-program (append (plist-get arguments :args) nil)) " "))))

(defun slipform--server (&rest _)
  "How Eglot starts the server."
  `(,slipform-program "lsp" :initializationOptions ,(slipform--chosen)))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(slipform-mode . slipform--server)))

(provide 'slipform-mode)
;;; slipform-mode.el ends here

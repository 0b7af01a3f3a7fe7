;;; emacs.el --- What Emacs makes of blueprints  -*- lexical-binding: t; -*-
;; emacs --batch -Q -l emacs.el MODE.el FOLDER
;; Byte-compiles MODE.el; of every FOLDER/*.bp writes FOLDER/*.faces, a letter for each of its own, and FOLDER/*.indented, its lines
;; indented anew after all spaces in front of them are gone.

(require 'bytecomp)

(defun letter (face)
  (cond ((consp face) ?i)
        ((memq face '(font-lock-keyword-face)) ?k)
        ((memq face '(font-lock-string-face)) ?s)
        ((memq face '(font-lock-doc-face)) ?d)
        ((memq face '(font-lock-comment-face font-lock-comment-delimiter-face)) ?c)
        (t ?-)))

(defun faces ()
  (font-lock-ensure)
  (let (found)
    (dotimes (at (buffer-size) (concat (nreverse found)))
      (let ((letter (char-after (1+ at))))
        (push (if (eq letter ?\n) ?\n (letter (get-text-property (1+ at) 'face))) found)))))

(defun indented ()
  (goto-char (point-min))
  (while (not (eobp))
    (unless (nth 3 (syntax-ppss (line-beginning-position)))
      (delete-horizontal-space))
    (forward-line))
  (indent-region (point-min) (point-max))
  (buffer-string))

(let ((mode (pop command-line-args-left))
      (folder (pop command-line-args-left))
      (coding-system-for-write 'utf-8-unix))
  (setq byte-compile-error-on-warn t)
  (let ((byte-compile-dest-file-function (lambda (_) (expand-file-name "slipform-mode.elc" folder))))
    (unless (byte-compile-file mode)
      (kill-emacs 1)))
  (load (expand-file-name "slipform-mode.elc" folder) nil t)
  (dolist (file (directory-files folder t "\\.bp\\'"))
    (with-temp-buffer
      (let ((coding-system-for-read 'utf-8-unix))
        (insert-file-contents file))
      (slipform-mode)
      (let ((name (file-name-sans-extension file)))
        (write-region (faces) nil (concat name ".faces"))
        (write-region (indented) nil (concat name ".indented"))))))

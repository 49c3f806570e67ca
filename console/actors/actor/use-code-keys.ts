// The keys of a text field with code. Escape gives Tab back to the browser once, so that the field can be left by keyboard.
import { useRef, type KeyboardEvent } from 'react';
import { breakLine, indentLines, outdentLines, type TextEdit } from './source-keys.ts';

export function useCodeKeys(isReadOnly: boolean) {
  const isLeaving = useRef(false);
  if (isReadOnly) return {};
  return {
    onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => {
      const { key, shiftKey, altKey, ctrlKey, metaKey, currentTarget } = event;
      if (event.nativeEvent.isComposing || key === 'Shift') return;
      const leaves = isLeaving.current;
      isLeaving.current = key === 'Escape';
      if (altKey || ctrlKey || metaKey || (key === 'Tab' && leaves)) return;
      const { value, selectionStart: start, selectionEnd: end } = currentTarget;
      if (key === 'Tab') {
        event.preventDefault();
        apply(currentTarget, (shiftKey ? outdentLines : indentLines)(value, { start, end }));
      } else if (key === 'Enter' && !shiftKey) {
        event.preventDefault();
        apply(currentTarget, breakLine(value, { start, end }));
      }
    },
    onBlur: () => {
      isLeaving.current = false;
    },
  };
}

/** As if it had been typed: the browser can undo it. */
function apply(element: HTMLTextAreaElement, edit: TextEdit | undefined): void {
  if (edit === undefined) return;
  const { from, to, text, selection } = edit;
  element.setSelectionRange(from, to);
  // There is no other way that keeps the list of what can be undone.
  const isDone =
    text === '' ? document.execCommand('delete') : document.execCommand('insertText', false, text);
  if (!isDone) {
    element.setRangeText(text, from, to);
    element.dispatchEvent(new Event('input', { bubbles: true }));
  }
  element.setSelectionRange(selection.start, selection.end);
}

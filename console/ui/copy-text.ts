// Copying to the clipboard. A page that came over plain http has no `navigator.clipboard`; there the old way
// works: a field with the text, selected, and the browser's own command.

/** True where the text is in the clipboard now. */
export async function copyText(text: string): Promise<boolean> {
  // The types promise it, a browser does so only where the page came over https or from this machine.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard === undefined) return copyBySelection(text);
  try {
    await clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'vh';
  field.readOnly = true;
  // Inside an open dialog, for what stands outside of it cannot be selected.
  const host = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body;
  host.append(field);
  field.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  }
}

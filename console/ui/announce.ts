// What a screen reader says although nothing on the page has the focus. What stands outside an open dialog is
// not read, so the text goes into the dialog that is on top.

const regions = new WeakMap<Element, Map<Urgency, HTMLElement>>();
type Urgency = 'polite' | 'assertive';
/** A region must be there a moment before its text, or the text is not read. */
const settling = 60;

export function announce(text: string, urgency: Urgency = 'polite'): void {
  const region = regionIn(topDialog() ?? document.body, urgency);
  // The same text twice is read twice only if the content was another in between.
  region.textContent = '';
  setTimeout(() => {
    region.textContent = text;
  }, settling);
}

function topDialog(): Element | undefined {
  return [...document.querySelectorAll('dialog:modal')].at(-1);
}

function regionIn(host: Element, urgency: Urgency): HTMLElement {
  const known = regions.get(host) ?? new Map<Urgency, HTMLElement>();
  regions.set(host, known);
  let region = known.get(urgency);
  if (region === undefined || !region.isConnected) {
    region = document.createElement('div');
    region.className = 'vh';
    region.setAttribute('aria-live', urgency);
    region.setAttribute('role', urgency === 'polite' ? 'status' : 'alert');
    host.append(region);
    known.set(urgency, region);
  }
  return region;
}

// The place of something that floats beside what opened it: below where there is room, else above, and always
// inside the window.

const gap = 6;
const margin = 8;

export type Alignment = 'start' | 'center' | 'end';

export function placeBeside(floating: HTMLElement, anchor: Element, alignment: Alignment): void {
  const at = anchor.getBoundingClientRect();
  const { width, height } = floating.getBoundingClientRect();
  const isBelow = at.bottom + gap + height <= window.innerHeight - margin || at.top < height + gap + margin;
  const top = isBelow ? at.bottom + gap : at.top - gap - height;
  const left = {
    start: at.left,
    center: at.left + (at.width - width) / 2,
    end: at.right - width,
  }[alignment];
  const lastLeft = document.documentElement.clientWidth - width - margin;
  floating.style.left = `${Math.max(margin, Math.min(left, lastLeft))}px`;
  floating.style.top = `${Math.max(margin, Math.min(top, window.innerHeight - height - margin))}px`;
}

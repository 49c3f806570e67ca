// The toasts that are shown. They are only for what the page itself does not show, and never the only place of
// an error; a failure stays until it is closed.

export interface ToastOptions {
  text: string;
  action?: { label: string; run: () => void } | undefined;
  tone?: 'ok' | 'bad' | undefined;
}

export interface Toast extends ToastOptions {
  id: number;
}

/** More than these would cover the page; the oldest goes. */
const most = 4;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Shows a toast and gives the id it can be taken away by. */
export function toast(options: ToastOptions): number {
  lastId += 1;
  change([...toasts, { ...options, id: lastId }].slice(-most));
  return lastId;
}

export function dismissToast(id: number): void {
  change(toasts.filter((shown) => shown.id !== id));
}

export function currentToasts(): readonly Toast[] {
  return toasts;
}

export function onToastsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

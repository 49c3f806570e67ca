// Single keys as commands. They are silent while one types, while a dialog or a menu is open, and where the
// reader switched them off.
import { useEffect, useRef } from 'react';

/** By the value of `event.key`: `j`, `X` (with Shift), `/`. One that gives `false` leaves the key to others. */
export type KeyCommands = Record<string, (event: KeyboardEvent) => unknown>;

interface Layer {
  commands: KeyCommands;
  /** Pressed before it was known whether the key means anything. */
  early?: KeyboardEvent | undefined;
  isKnown: boolean;
}

/** `unknown` until permissions are read: a press is kept until then, for somebody who knows the keys is faster. */
export type KeysState = boolean | 'unknown';

/** The layer that was added last is asked first. */
const layers: Layer[] = [];
let areSingleKeysOn = true;

/** Switches single keys off or on for the whole console. */
export function setSingleKeys(isOn: boolean): void {
  areSingleKeysOn = isOn;
}

export function useKeys(commands: KeyCommands, { isOn = true }: { isOn?: KeysState } = {}): void {
  const layer = useRef<Layer>({ commands, isKnown: isOn !== 'unknown' });
  useEffect(() => {
    layer.current.commands = commands;
  });
  useEffect(() => {
    const own = layer.current;
    if (isOn === false) return undefined;
    own.isKnown = isOn === true;
    if (own.isKnown && own.early !== undefined) own.commands[own.early.key]?.(own.early);
    own.early = undefined;
    if (layers.length === 0) document.addEventListener('keydown', onKeyDown);
    layers.push(own);
    return () => {
      layers.splice(layers.indexOf(own), 1);
      if (layers.length === 0) document.removeEventListener('keydown', onKeyDown);
    };
  }, [isOn]);
}

function onKeyDown(event: KeyboardEvent): void {
  if (!areSingleKeysOn || event.defaultPrevented || event.isComposing) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTypedInto(event.target) || document.querySelector('dialog:modal, .menu:popover-open') !== null)
    return;
  // Whoever goes on does not wait for what was pressed before.
  for (const layer of layers) layer.early = undefined;
  for (const layer of layers.toReversed()) {
    if (!Object.hasOwn(layer.commands, event.key)) continue;
    if (!layer.isKnown) layer.early = event;
    else if (layer.commands[event.key]?.(event) === false) continue;
    event.preventDefault();
    return;
  }
}

function isTypedInto(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type);
  return target.isContentEditable || target.matches('textarea, select, [role="combobox"], [role="textbox"]');
}

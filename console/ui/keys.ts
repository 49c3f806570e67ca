// Single keys as commands. They are silent while one types, while a dialog or a menu is open, and where the
// reader switched them off. One that means nothing yet is kept for a page that is still being loaded.
import { useEffect, useRef } from 'react';

/** By the value of `event.key`: `j`, `X` (with Shift), `/`. One that gives `false` leaves the key to others. */
export type KeyCommands = Record<string, (event: KeyboardEvent) => unknown>;

interface Layer {
  commands: KeyCommands;
}

/** The layer that was added last is asked first. */
const layers: Layer[] = [];
let areSingleKeysOn = true;

/** Switches single keys off or on for the whole console. */
export function setSingleKeys(isOn: boolean): void {
  areSingleKeysOn = isOn;
}

/** On once its page knows that the keys work: what was read and what is allowed. An earlier press is done then. */
export function useKeys(commands: KeyCommands, { isOn = true }: { isOn?: boolean } = {}): void {
  const layer = useRef<Layer>({ commands });
  useEffect(() => {
    layer.current.commands = commands;
  });
  useEffect(() => {
    const own = layer.current;
    if (!isOn) return undefined;
    if (layers.length === 0) document.addEventListener('keydown', onKeyDown);
    layers.push(own);
    offerEarlyPress(own);
    return () => {
      layers.splice(layers.indexOf(own), 1);
      if (layers.length === 0) document.removeEventListener('keydown', onKeyDown);
    };
  }, [isOn]);
}

function onKeyDown(event: KeyboardEvent): void {
  // A person who goes on does not wait for what was pressed before.
  forgetEarlyPress?.();
  if (!areSingleKeysOn || event.defaultPrevented || event.isComposing) return;
  if (event.ctrlKey || event.metaKey || event.altKey || isSilent(event.target)) return;
  for (const layer of layers.toReversed()) {
    if (!doCommand(layer, event)) continue;
    event.preventDefault();
    return;
  }
  if (event.key.length === 1) keepEarlyPress(event);
}

/** False where it has none for the key, or leaves it to others. */
function doCommand({ commands }: Layer, event: KeyboardEvent): boolean {
  return Object.hasOwn(commands, event.key) && commands[event.key]?.(event) !== false;
}

function isSilent(target: EventTarget | null): boolean {
  return isTypedInto(target) || document.querySelector('dialog:modal, .menu:popover-open') !== null;
}

function isTypedInto(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type);
  return target.isContentEditable || target.matches('textarea, select, [role="combobox"], [role="textbox"]');
}

/** Longer, and the page would surprise somebody who has given up. */
const EARLY_MS = 30_000;
let earlyPress: KeyboardEvent | undefined;
let forgetEarlyPress: (() => void) | undefined;

/** Until something else is done: another key, a click, going back. */
function keepEarlyPress(event: KeyboardEvent): void {
  const control = new AbortController();
  const forget = () => {
    control.abort();
    earlyPress = undefined;
    forgetEarlyPress = undefined;
  };
  earlyPress = event;
  forgetEarlyPress = forget;
  const options = { capture: true, signal: control.signal };
  addEventListener('pointerdown', forget, options);
  addEventListener('popstate', forget, options);
  const timer = setTimeout(forget, EARLY_MS);
  control.signal.addEventListener('abort', () => clearTimeout(timer));
}

function offerEarlyPress(layer: Layer): void {
  if (earlyPress === undefined || isSilent(document.activeElement)) return;
  if (doCommand(layer, earlyPress)) forgetEarlyPress?.();
}

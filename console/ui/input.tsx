// Text fields, choices from a list, and the field that filters one.
import { useRef, type ChangeEvent, type ComponentProps } from 'react';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';
import { useFieldProps } from './field.tsx';
import { Icon } from './icon.tsx';
import { useKeys } from './keys.ts';
import { words } from './words.ts';

interface InputLook {
  /** For what is pasted: keys, ids, addresses. */
  isMono?: boolean | undefined;
  controlSize?: 'lg' | 'md' | 'sm' | undefined;
  /** As `onChange`, with the text itself. */
  onValue?: ((value: string) => void) | undefined;
}

export type TextInputProps = InputLook & ComponentProps<'input'>;

export function TextInput({ isMono, controlSize, onValue, className, onChange, ...rest }: TextInputProps) {
  return (
    <input
      type="text"
      {...rest}
      {...withoutUndefined(useFieldProps(rest))}
      className={inputClass({ isMono, controlSize }, className)}
      onChange={chain(onChange, onValue)}
    />
  );
}

export type TextAreaProps = InputLook & ComponentProps<'textarea'>;

export function TextArea({ isMono, controlSize, onValue, className, onChange, ...rest }: TextAreaProps) {
  return (
    <textarea
      {...rest}
      {...withoutUndefined(useFieldProps(rest))}
      className={inputClass({ isMono, controlSize }, className)}
      onChange={chain(onChange, onValue)}
    />
  );
}

export type SelectInputProps = InputLook &
  ComponentProps<'select'> & {
    options?: { value: string; label: string; isDisabled?: boolean | undefined }[] | undefined;
  };

/** The browser's own list: it works by keyboard, by touch and with a screen reader everywhere. */
export function SelectInput(props: SelectInputProps) {
  const { isMono, controlSize, onValue, className, onChange, options, children, ...rest } = props;
  return (
    <select
      {...rest}
      {...withoutUndefined(useFieldProps(rest))}
      className={inputClass({ isMono, controlSize }, className)}
      onChange={chain(onChange, onValue)}
    >
      {options?.map(({ value, label, isDisabled }) => (
        <option key={value} value={value} disabled={isDisabled}>
          {label}
        </option>
      ))}
      {children}
    </select>
  );
}

export interface FilterInputProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
  placeholder?: string | undefined;
  /** The key `/` goes here; off where a page has more than one. */
  hasSlashKey?: boolean | undefined;
}

/** The field over a list. Escape clears it. */
export function FilterInput({ value, onChange, label, placeholder, hasSlashKey = true }: FilterInputProps) {
  const input = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => input.current?.select() }, { isOn: hasSlashKey });
  const clear = () => {
    onChange('');
    input.current?.focus();
  };
  return (
    <div className="filter" role="search">
      <Icon name="search" />
      <input
        ref={input}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        aria-keyshortcuts={hasSlashKey ? '/' : undefined}
        placeholder={placeholder ?? label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || value === '') return;
          event.preventDefault();
          clear();
        }}
      />
      {value === '' && hasSlashKey && (
        <kbd aria-hidden="true" className="no-s">
          /
        </kbd>
      )}
      {value !== '' && <Button tone="ghost" size="xs" icon="x" label={words.clearFilter} onClick={clear} />}
    </div>
  );
}

function inputClass({ isMono, controlSize = 'md' }: InputLook, className: string | undefined) {
  return classNames('in', isMono && 'in--mono', controlSize !== 'md' && `in--${controlSize}`, className);
}

/** A control outside of a field keeps what it was given. */
function withoutUndefined(props: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined));
}

function chain<Control extends { value: string }>(
  onChange: ((event: ChangeEvent<Control>) => void) | undefined,
  onValue: ((value: string) => void) | undefined,
) {
  if (onChange === undefined && onValue === undefined) return undefined;
  return (event: ChangeEvent<Control>) => {
    onChange?.(event);
    onValue?.(event.target.value);
  };
}

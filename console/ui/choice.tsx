// Checkboxes, radio buttons with an explanation each, and switches.
import { useEffect, useId, useRef, type MouseEvent, type PointerEvent, type ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { useTip } from './tip.tsx';
import { words } from './words.ts';

export interface CheckboxProps {
  label: ReactNode;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
  isIndeterminate?: boolean | undefined;
  isDisabled?: boolean | undefined;
  help?: ReactNode;
}

export function Checkbox({ label, isChecked, onChange, isIndeterminate, isDisabled, help }: CheckboxProps) {
  const id = useId();
  return (
    <label className="pick">
      <CheckboxBox
        isChecked={isChecked}
        isIndeterminate={isIndeterminate}
        isDisabled={isDisabled}
        describedBy={help === undefined ? undefined : id}
        onChange={onChange}
      />
      <span>{label}</span>
      {help !== undefined && (
        <span className="help" id={id}>
          {help}
        </span>
      )}
    </label>
  );
}

export interface CheckboxBoxProps {
  isChecked: boolean;
  /** With Shift held, for choosing a range. */
  onChange: (isChecked: boolean, hasShift: boolean) => void;
  isIndeterminate?: boolean | undefined;
  isDisabled?: boolean | undefined;
  /** Where no label stands around it. */
  label?: string | undefined;
  describedBy?: string | undefined;
}

/** The box alone. */
export function CheckboxBox(props: CheckboxBoxProps) {
  const { isChecked, onChange, isIndeterminate = false, isDisabled, label, describedBy } = props;
  const input = useRef<HTMLInputElement>(null);
  // A change does not say which keys are held; the click before it does.
  const hasShift = useRef(false);
  useEffect(() => {
    if (input.current !== null) input.current.indeterminate = isIndeterminate;
  }, [isIndeterminate]);
  return (
    <input
      ref={input}
      type="checkbox"
      className="cb"
      checked={isChecked}
      disabled={isDisabled}
      aria-label={label}
      aria-describedby={describedBy}
      onClick={(event) => (hasShift.current = event.shiftKey)}
      onChange={(event) => {
        onChange(event.target.checked, hasShift.current);
        hasShift.current = false;
      }}
    />
  );
}

export interface RadioCardsProps<Value extends string> {
  label: ReactNode;
  value: Value | undefined;
  onChange: (value: Value) => void;
  options: {
    value: Value;
    label: ReactNode;
    text?: ReactNode;
    /** Shown in place of the text. */
    disabledReason?: string | undefined;
  }[];
}

export function RadioCards<Value extends string>({
  label,
  value,
  onChange,
  options,
}: RadioCardsProps<Value>) {
  const name = useId();
  return (
    <fieldset>
      <legend className="fld__l">{label}</legend>
      <div className="opts">
        {options.map((option) => {
          const text = option.disabledReason ?? option.text;
          return (
            <label className="opt" key={option.value}>
              <input
                type="radio"
                className="cb"
                name={name}
                value={option.value}
                checked={option.value === value}
                disabled={option.disabledReason !== undefined}
                onChange={() => onChange(option.value)}
              />
              <span className="w5">{option.label}</span>
              {text !== undefined && <span className="help">{text}</span>}
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}

export interface SwitchProps {
  isOn: boolean;
  /** The name of what is switched: "Dark mode in production". */
  label: string;
  onChange: (isOn: boolean) => void;
  /** Pressed with Shift, or held by a finger for a moment: what would change is to be shown first. */
  onReview?: ((isOn: boolean) => void) | undefined;
  /** Why it is off limits; shown when it is pointed at, focused or tapped. */
  reason?: string | undefined;
  size?: 'md' | 'lg' | undefined;
}

/** The element stays when the reason comes or goes: it keeps the focus, and a click that has begun. */
export function Switch({ isOn, label, onChange, onReview, reason, size }: SwitchProps) {
  const tip = useTip(reason);
  const hold = useHold(() => onReview?.(!isOn));
  const onClick = (event: MouseEvent<HTMLButtonElement>) => {
    if (hold.takeClick(event)) return;
    if (event.shiftKey && onReview !== undefined) onReview(!isOn);
    else onChange(!isOn);
  };
  return (
    <>
      <button
        type="button"
        role="switch"
        className={classNames('sw', size === 'lg' && 'sw--lg')}
        aria-checked={isOn}
        aria-label={label}
        {...(reason === undefined
          ? { onClick, ...(onReview !== undefined && hold.props) }
          : {
              ...tip.anchorProps,
              'aria-disabled': true,
              onClick: (event: MouseEvent<HTMLButtonElement>) => tip.showAt(event.currentTarget),
            })}
      >
        {isOn ? words.on : words.off}
      </button>
      {tip.element}
    </>
  );
}

/** How long a finger rests until that is no tap. */
const holdTime = 500;

/** Of a mouse, which has Shift, no click is too long: a busy machine may tell late that its button was let go. */
function useHold(onHeld: () => void) {
  const holding = useRef<ReturnType<typeof setTimeout>>(undefined);
  const wasHeld = useRef(false);
  const release = () => clearTimeout(holding.current);
  useEffect(() => release, []);
  return {
    props: {
      onPointerDown: ({ pointerType }: PointerEvent) => {
        wasHeld.current = false;
        release();
        if (pointerType === 'mouse') return;
        holding.current = setTimeout(() => {
          wasHeld.current = true;
          onHeld();
        }, holdTime);
      },
      onPointerUp: release,
      onPointerLeave: release,
      onPointerCancel: release,
      onContextMenu: (event: MouseEvent) => wasHeld.current && event.preventDefault(),
    },
    /** The click that ends a hold has been answered already. */
    takeClick({ detail }: MouseEvent): boolean {
      const isAnswered = wasHeld.current && detail > 0;
      wasHeld.current = false;
      return isAnswered;
    },
  };
}

// Checkboxes, radio buttons with an explanation each, and switches.
import { useEffect, useId, useRef, type ReactNode } from 'react';
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
  /** Pressed with Shift, or held for a moment: what would change is to be shown first. */
  onReview?: ((isOn: boolean) => void) | undefined;
  isDisabled?: boolean | undefined;
  /** Why it is off limits; shown when it is pointed at, focused or tapped. */
  reason?: string | undefined;
  size?: 'md' | 'lg' | undefined;
}

export function Switch(props: SwitchProps) {
  const { reason, isDisabled = reason !== undefined } = props;
  if (isDisabled && reason !== undefined) return <SwitchWithReason {...props} reason={reason} />;
  if (!isDisabled && props.onReview !== undefined)
    return <ReviewedSwitch {...props} onReview={props.onReview} />;
  return (
    <button
      type="button"
      {...switchProps(props)}
      disabled={isDisabled}
      onClick={() => props.onChange(!props.isOn)}
    >
      {props.isOn ? words.on : words.off}
    </button>
  );
}

/** How long it is held until that is no click. */
const holdTime = 500;

function ReviewedSwitch(props: SwitchProps & { onReview: (isOn: boolean) => void }) {
  const { isOn, onChange, onReview } = props;
  const holding = useRef<ReturnType<typeof setTimeout>>(undefined);
  const wasHeld = useRef(false);
  const release = () => clearTimeout(holding.current);
  useEffect(() => release, []);
  return (
    <button
      type="button"
      {...switchProps(props)}
      onPointerDown={() => {
        wasHeld.current = false;
        release();
        holding.current = setTimeout(() => {
          wasHeld.current = true;
          onReview(!isOn);
        }, holdTime);
      }}
      onPointerUp={release}
      onPointerLeave={release}
      onPointerCancel={release}
      onContextMenu={(event) => wasHeld.current && event.preventDefault()}
      onClick={(event) => {
        // The click that ends a hold has been answered already.
        const isAnswered = wasHeld.current && event.detail > 0;
        wasHeld.current = false;
        if (isAnswered) return;
        if (event.shiftKey) onReview(!isOn);
        else onChange(!isOn);
      }}
    >
      {isOn ? words.on : words.off}
    </button>
  );
}

function SwitchWithReason(props: SwitchProps & { reason: string }) {
  const tip = useTip(props.reason);
  return (
    <>
      <button
        type="button"
        {...switchProps(props)}
        {...tip.anchorProps}
        aria-disabled="true"
        onClick={(event) => tip.showAt(event.currentTarget)}
      >
        {props.isOn ? words.on : words.off}
      </button>
      {tip.element}
    </>
  );
}

function switchProps({ isOn, label, size }: SwitchProps) {
  return {
    role: 'switch',
    className: classNames('sw', size === 'lg' && 'sw--lg'),
    'aria-checked': isOn,
    'aria-label': label,
  };
}

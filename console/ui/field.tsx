// A field: label above, help below, an error with a glyph. The control inside takes its id, its description and
// its state from the field, so they cannot drift apart.
import { createContext, useContext, useId, type ReactNode } from 'react';
import { Icon } from './icon.tsx';
import { words } from './words.ts';

interface FieldState {
  id: string;
  describedBy: string | undefined;
  isInvalid: boolean;
}

const FieldContext = createContext<FieldState | undefined>(undefined);

/** What a control takes from the field around it; what is given to the control itself wins. */
export function useFieldProps(own: { id?: string | undefined; 'aria-describedby'?: string | undefined }) {
  const field = useContext(FieldContext);
  return {
    id: own.id ?? field?.id,
    'aria-describedby': own['aria-describedby'] ?? field?.describedBy,
    'aria-invalid': field?.isInvalid === true ? true : undefined,
  };
}

export interface FieldProps {
  label: ReactNode;
  help?: ReactNode;
  /** What is wrong, and the way out of it. */
  error?: ReactNode;
  optional?: boolean | undefined;
  /** At the right of the label: a counter, a link. */
  end?: ReactNode;
  children: ReactNode | ((id: string, describedBy: string | undefined) => ReactNode);
}

export function Field({ label, help, error, optional = false, end, children }: FieldProps) {
  const id = useId();
  const isInvalid = error !== undefined && error !== null && error !== '' && error !== false;
  const ids = [isInvalid && `${id}e`, help !== undefined && `${id}h`].filter((part) => part !== false);
  const describedBy = ids.length > 0 ? ids.join(' ') : undefined;
  return (
    <FieldContext value={{ id, describedBy, isInvalid }}>
      <div className="fld">
        <div className="fld__end">
          <label className="fld__l" htmlFor={id}>
            {label}
            {optional && <em> {words.optional}</em>}
          </label>
          {end !== undefined && <span className="help">{end}</span>}
        </div>
        {typeof children === 'function' ? children(id, describedBy) : children}
        {isInvalid && <FieldError id={`${id}e`}>{error}</FieldError>}
        {help !== undefined && (
          <p className="help" id={`${id}h`}>
            {help}
          </p>
        )}
      </div>
    </FieldContext>
  );
}

export function FieldError({ id, children }: { id?: string | undefined; children: ReactNode }) {
  return (
    <p className="err" id={id}>
      <Icon name="err" />
      <span>{children}</span>
    </p>
  );
}

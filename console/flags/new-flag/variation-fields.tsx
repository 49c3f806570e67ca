// The variations of a new flag, and which of them it begins with.
import { Button } from '../../ui/button.tsx';
import { Field, FieldError } from '../../ui/field.tsx';
import { SelectInput, TextArea, TextInput } from '../../ui/input.tsx';
import { letterOf } from '../flag.ts';
import { VariationMark } from '../served.tsx';
import {
  addVariation,
  MAX_VARIATIONS,
  type DraftErrors,
  type NewFlagDraft,
  type VariationDraft,
} from './new-flag-draft.ts';
import { NEW_FLAG_WORDS as WORDS } from './new-flag-words.ts';

export interface VariationFieldsProps {
  draft: NewFlagDraft;
  errors: DraftErrors;
  onChange: (patch: Partial<NewFlagDraft>) => void;
  onLeave: (field: string) => void;
}

export function VariationFields({ draft, errors, onChange, onLeave }: VariationFieldsProps) {
  const { type, variations, onVariation, offVariation } = draft;
  const isBoolean = type === 'boolean';
  const change = (index: number, patch: Partial<VariationDraft>) =>
    onChange({ variations: variations.map((one, at) => (at === index ? { ...one, ...patch } : one)) });
  const remove = (index: number) => {
    const moved = (at: number) => (at === index ? 0 : at > index ? at - 1 : at);
    onChange({
      variations: variations.toSpliced(index, 1),
      onVariation: moved(onVariation),
      offVariation: moved(offVariation),
    });
  };
  const options = variations.map(({ name, value }, index) => ({
    value: String(index),
    label: `${letterOf(index)} ${name || shorten(value)}`.trim(),
  }));
  return (
    <fieldset className="stack stack--8">
      <legend className="fld__l">{WORDS.variations}</legend>
      <p className="help">{WORDS.variationsHelp}</p>
      {errors['variations'] !== undefined && <FieldError>{errors['variations']}</FieldError>}
      <ol className="nf-variations">
        {variations.map((variation, index) => {
          const letter = letterOf(index);
          const error = errors[`variations.${index}`];
          const input = {
            isMono: true,
            'aria-label': WORDS.valueOf(letter),
            'aria-invalid': error !== undefined,
            placeholder: WORDS.value,
            value: variation.value,
            onValue: (value: string) => change(index, { value }),
            onBlur: () => variation.value !== '' && onLeave(`variations.${index}`),
            spellCheck: false,
            autoComplete: 'off',
          };
          return (
            <li key={index}>
              <VariationMark index={index} />
              <div className="stack stack--4">
                {isBoolean ? (
                  <code className="nf-value">{variation.value}</code>
                ) : type === 'json' ? (
                  <TextArea rows={2} {...input} />
                ) : (
                  <TextInput inputMode={type === 'number' ? 'decimal' : 'text'} {...input} />
                )}
                {error !== undefined && <FieldError>{error}</FieldError>}
              </div>
              <TextInput
                aria-label={WORDS.nameOf(letter)}
                placeholder={WORDS.variationName}
                dir="auto"
                maxLength={256}
                value={variation.name}
                onValue={(name) => change(index, { name })}
              />
              <TextInput
                aria-label={WORDS.descriptionOf(letter)}
                placeholder={WORDS.variationDescription}
                dir="auto"
                maxLength={10_000}
                value={variation.description}
                onValue={(description) => change(index, { description })}
              />
              {!isBoolean && variations.length > 2 && (
                <Button
                  tone="ghost"
                  icon="trash"
                  label={WORDS.removeVariation(letter)}
                  onClick={() => remove(index)}
                />
              )}
            </li>
          );
        })}
      </ol>
      {!isBoolean && variations.length < MAX_VARIATIONS && (
        <div>
          <Button size="sm" icon="plus" onClick={() => onChange({ variations: addVariation(variations) })}>
            {WORDS.addVariation}
          </Button>
        </div>
      )}
      <div className="nf-two">
        <Field label={WORDS.whenOn}>
          <SelectInput
            value={String(onVariation)}
            onValue={(index) => onChange({ onVariation: Number(index) })}
            options={options}
          />
        </Field>
        <Field label={WORDS.whenOff}>
          <SelectInput
            value={String(offVariation)}
            onValue={(index) => onChange({ offVariation: Number(index) })}
            options={options}
          />
        </Field>
      </div>
      <p className="help">{errors['defaults'] ?? WORDS.defaultsHelp}</p>
    </fieldset>
  );
}

const MAX_LABEL = 40;

function shorten(text: string): string {
  return text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL)}…` : text;
}

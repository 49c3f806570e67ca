// The form that is drawn from an input schema, in its sections.
import { Fragment } from 'react';
import { InputFieldView } from './input-field.tsx';
import type { InputField, InputSchema } from './input-schema.ts';
import { INPUT_WORDS } from './input-words.ts';
import type { InputErrors } from './input-errors.ts';
import type { InputDraft } from './use-input.ts';

export interface InputFormProps {
  schema: InputSchema;
  draft: InputDraft;
  errors: InputErrors;
}

interface FormSection {
  caption?: string | undefined;
  description?: string | undefined;
  fields: [name: string, field: InputField][];
}

export function InputForm({ schema, draft, errors }: InputFormProps) {
  const others = Object.keys(draft.value).filter((name) => !Object.hasOwn(schema.properties, name));
  return (
    <div className="stack stack--16">
      {schema.description !== undefined && <p className="t13 muted">{schema.description}</p>}
      {sectionsOf(schema).map((section, index) => (
        <SectionView key={index} section={section} schema={schema} draft={draft} errors={errors} />
      ))}
      {others.length > 0 && <p className="t13 muted">{INPUT_WORDS.otherFields(others.join(', '))}</p>}
    </div>
  );
}

/** A field with a caption begins a section, which goes on to the next. */
function sectionsOf({ properties }: InputSchema): FormSection[] {
  const sections: FormSection[] = [];
  for (const [name, field] of Object.entries(properties)) {
    if (sections.length === 0 || field.sectionCaption !== undefined)
      sections.push({ caption: field.sectionCaption, description: field.sectionDescription, fields: [] });
    sections.at(-1)!.fields.push([name, field]);
  }
  return sections;
}

function SectionView({ section, schema, draft, errors }: InputFormProps & { section: FormSection }) {
  const shown = section.fields.filter(([, { editor }]) => editor !== 'hidden');
  if (shown.length === 0) return null;
  const fields = shown.map(([name, field]) => (
    <Fragment key={name}>
      {field.groupCaption !== undefined && (
        <div>
          <p className="w6 t13">{field.groupCaption}</p>
          {field.groupDescription !== undefined && <p className="help">{field.groupDescription}</p>}
        </div>
      )}
      <InputFieldView
        name={name}
        field={field}
        isRequired={schema.required?.includes(name) ?? false}
        draft={draft}
        error={errors.get(name)}
      />
    </Fragment>
  ));
  if (section.caption === undefined) return <div className="stack stack--16">{fields}</div>;
  return (
    <details className="input-section" open>
      <summary className="w6">{section.caption}</summary>
      <div className="stack stack--16">
        {section.description !== undefined && <p className="t13 muted">{section.description}</p>}
        {fields}
      </div>
    </details>
  );
}

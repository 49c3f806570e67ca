// An input to edit: as a form where the build has a schema, and as JSON always.
import '../../styles/input.css';
import { Banner } from '../../ui/banner.tsx';
import { Field } from '../../ui/field.tsx';
import { TextArea } from '../../ui/input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { InputForm } from './input-form.tsx';
import type { InputSchema } from './input-schema.ts';
import { INPUT_WORDS } from './input-words.ts';
import type { InputErrors } from './input-errors.ts';
import type { InputDraft } from './use-input.ts';

export interface InputEditorProps {
  draft: InputDraft;
  schema: InputSchema | undefined;
  errors: InputErrors;
}

export function InputEditor({ draft, schema, errors }: InputEditorProps) {
  if (schema === undefined)
    return (
      <div className="stack">
        <p className="t13 muted">{INPUT_WORDS.noSchema}</p>
        <JsonEditor draft={draft} errors={errors} />
      </div>
    );
  return (
    <div className="stack">
      <div>
        <Segmented
          label={INPUT_WORDS.view}
          size="sm"
          value={draft.mode}
          options={[
            { value: 'form', label: INPUT_WORDS.form },
            { value: 'json', label: INPUT_WORDS.json },
          ]}
          onChange={(mode) => {
            // The form cannot show what is no JSON; the field below says what is wrong.
            if (mode === 'json' || draft.problem === undefined) draft.setMode(mode);
          }}
        />
      </div>
      {draft.mode === 'form' ? (
        <InputForm schema={schema} draft={draft} errors={errors} />
      ) : (
        <JsonEditor draft={draft} errors={errors} />
      )}
    </div>
  );
}

function JsonEditor({ draft, errors }: { draft: InputDraft; errors: InputErrors }) {
  const secrets = [...Object.keys(draft.kept), ...Object.keys(draft.typed)];
  const messages = [...errors.values()];
  return (
    <>
      {secrets.length > 0 && (
        <Banner tone="neutral" icon="lock">
          {INPUT_WORDS.secretsKept(secrets.join(', '))}
        </Banner>
      )}
      <Field
        label={INPUT_WORDS.jsonField}
        error={draft.problem ?? (messages.length === 0 ? undefined : messages.join('. '))}
        help={draft.problem === undefined ? undefined : INPUT_WORDS.fixJson}
      >
        <TextArea
          isMono
          className="input-json"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          rows={Math.min(24, Math.max(8, draft.text.split('\n').length + 1))}
          value={draft.text}
          onValue={draft.setText}
        />
      </Field>
    </>
  );
}

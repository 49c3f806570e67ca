// A link to the items that needs no token.
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/choice.tsx';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { SelectInput, TextInput } from '../../../ui/input.tsx';
import { FORMAT_WORDS, WORDS } from './dataset-words.ts';
import { EXPORT_FORMATS, type ExportFormat } from './export-call.ts';
import type { ExportProps } from './export-popover.tsx';

export function ShareButton(props: ExportProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="link" onClick={() => setOpen(true)}>
        {WORDS.share}
      </Button>
      {isOpen && <ShareDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function ShareDialog({ dataset, shown, onClose }: ExportProps & { onClose: () => void }) {
  const [format, setFormat] = useState<ExportFormat>('json');
  const [hasSameFields, setSameFields] = useState(false);
  const link = linkTo(dataset.itemsPublicUrl, format, hasSameFields ? shown : []);
  const isSigned = link.includes('signature=');
  return (
    <Dialog
      title={WORDS.shareTitle}
      text={`${WORDS.shareText} ${isSigned ? WORDS.shareSigned : WORDS.shareOpen}`}
      width={560}
      onClose={onClose}
      footer={
        <>
          <CopyTextButton text={link} label={WORDS.copyLink} tone="primary" />
          <Button onClick={onClose}>{WORDS.done}</Button>
        </>
      }
    >
      <div className="stack stack--16">
        <Field label={WORDS.format}>
          <SelectInput
            value={format}
            options={EXPORT_FORMATS.map((value) => ({ value, label: FORMAT_WORDS[value] }))}
            onValue={(value) => setFormat(value as ExportFormat)}
          />
        </Field>
        <Checkbox label={WORDS.sameFields} isChecked={hasSameFields} onChange={setSameFields} />
        <Field label={WORDS.link}>
          <TextInput isMono readOnly value={link} onFocus={(event) => event.target.select()} />
        </Field>
      </div>
    </Dialog>
  );
}

function linkTo(address: string, format: ExportFormat, fields: readonly string[]): string {
  const url = new URL(address);
  url.searchParams.set('format', format);
  for (const name of fields) url.searchParams.append('fields', name);
  return url.href;
}

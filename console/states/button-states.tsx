import { Button, ButtonLink, type ButtonTone } from '../ui/button.tsx';
import { CopyButton, CopyTextButton } from '../ui/copy-button.tsx';
import { iconShapes } from '../ui/icon-shapes.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { TextLink } from '../ui/link.tsx';
import { nothing, Sample } from './sample.tsx';

const tones: ButtonTone[] = ['primary', 'quiet', 'ghost', 'danger', 'danger-fill', 'production'];
const reason = 'Needs updateOn on production; ask an administrator.';

export function ButtonStates() {
  return (
    <>
      <Sample name="Tones">
        {tones.map((tone) => (
          <Button key={tone} tone={tone} onClick={nothing}>
            {tone}
          </Button>
        ))}
      </Sample>
      <Sample name="With icon, key, caret; focused; busy">
        <Button tone="primary" icon="plus" keys="c">
          New token
        </Button>
        <Button icon="columns" hasCaret>
          Columns
        </Button>
        <Button className="is-focus">Focus</Button>
        <Button tone="primary" isBusy>
          Saving
        </Button>
        <Button icon="dots" label="More" />
        <Button tone="ghost" icon="x" label="Close" />
      </Sample>
      <Sample name="Off, with its reason">
        {tones.map((tone) => (
          <Button key={tone} tone={tone} disabledReason={reason}>
            {tone}
          </Button>
        ))}
        <Button icon="trash" label="Delete" disabledReason={reason} />
      </Sample>
      <Sample name="Sizes">
        <Button>32 px</Button>
        <Button size="sm">28 px</Button>
        <Button size="xs">24 px</Button>
        <Button size="sm" icon="dots" label="More" />
        <Button size="xs" icon="dots" label="More" />
      </Sample>
      <Sample name="Links and copying">
        <ButtonLink href="/" icon="home">
          A link
        </ButtonLink>
        <span>
          Text with <TextLink href="/">a link</TextLink>, and an id <code className="key">8fK2</code>
          <CopyButton text="8fK2" label="Copy id 8fK2" />
        </span>
        <CopyTextButton text="sbx_1" label="Copy" />
      </Sample>
      <Sample name="Icons">
        {(Object.keys(iconShapes) as IconName[]).map((name) => (
          <span key={name} title={name}>
            <Icon name={name} />
          </span>
        ))}
      </Sample>
    </>
  );
}

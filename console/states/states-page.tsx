// Every widget in every state, light and dark side by side. What is mended here is mended everywhere.
import { Fragment } from 'react';
import { Mark } from '../ui/icon.tsx';
import { PageHead } from '../ui/page.tsx';
import { ButtonStates } from './button-states.tsx';
import { CardStates } from './card-states.tsx';
import { ChoiceStates } from './choice-states.tsx';
import { CodeStates } from './code-states.tsx';
import { FieldStates } from './field-states.tsx';
import { OverlayStates } from './overlay-states.tsx';
import { PageStates } from './page-states.tsx';
import { StatusStates } from './status-states.tsx';
import './states.css';
import { TableStates } from './table-states.tsx';

const parts = [
  { title: 'Buttons', View: ButtonStates },
  { title: 'Status', View: StatusStates },
  { title: 'Choices', View: ChoiceStates },
  { title: 'Fields', View: FieldStates },
  { title: 'Cards', View: CardStates },
  { title: 'Tables', View: TableStates },
  { title: 'States of a page', View: PageStates },
  { title: 'Overlays', View: OverlayStates },
  { title: 'Code', View: CodeStates },
];
const themes = ['light', 'dark'] as const;

export default function StatesPage() {
  return (
    <main className="page states" id="main">
      <PageHead title="Widgets and states" badge={<Mark />} meta="Both themes, whatever the system says." />
      {parts.map(({ title, View }) => (
        <Fragment key={title}>
          <h2 className="sheet__t">{title}</h2>
          <div className="sheet__pair">
            {themes.map((theme) => (
              <section
                key={theme}
                data-theme={theme}
                aria-label={`${title}, ${theme}`}
                className="sheet__half"
              >
                <View />
              </section>
            ))}
          </div>
        </Fragment>
      ))}
    </main>
  );
}

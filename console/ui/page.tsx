// The head of a page and its sections.
import { useId, type ReactNode } from 'react';

export interface PageHeadProps {
  title: ReactNode;
  /** Beside the title: a status, a count. */
  badge?: ReactNode;
  /** One line below the title. */
  meta?: ReactNode;
  actions?: ReactNode;
}

export function PageHead({ title, badge, meta, actions }: PageHeadProps) {
  return (
    <div className="ph">
      <div>
        <div className="ph__t">
          <h1>{title}</h1>
          {badge}
        </div>
        {meta !== undefined && <div className="ph__m">{meta}</div>}
      </div>
      {actions !== undefined && <div className="ph__a">{actions}</div>}
    </div>
  );
}

export interface SectionProps {
  title: ReactNode;
  /** Beside the title. */
  badge?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

export function Section({ title, badge, actions, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div className="sec">
        <h2 id={id}>{title}</h2>
        {badge}
        {actions !== undefined && <div className="row row--4 push">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** The sheet of every chat on the page. Constructed, so that a policy without inline styles lets it. */
export function styleSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync([HOST, FRAME, TURNS, TEXT, PARTS, LAUNCHER].join(''))
  }
  return sheet
}

/** A second sheet, for a chat in a page that declares no `color-scheme`: it follows the system. */
export function systemSchemeSheet(): CSSStyleSheet {
  if (!systemSheet) {
    systemSheet = new CSSStyleSheet()
    systemSheet.replaceSync(':host(:not([theme])){color-scheme:light dark}')
  }
  return systemSheet
}

let sheet: CSSStyleSheet | undefined
let systemSheet: CSSStyleSheet | undefined

// Names of its own begin with --_: a page may well have a --line, and give it to --svc-line on the element itself.
const HOST = `
:host{
--_accent:var(--svc-accent,light-dark(#1f4fd8,#9db8ff));
--_on-accent:var(--svc-on-accent,light-dark(#fff,#0c1734));
--_back:var(--svc-background,light-dark(#fff,#16181d));
--_tint:var(--svc-surface,light-dark(#f3f4f7,#20242b));
--_ink:var(--svc-text,light-dark(#1b1f27,#eceef2));
--_soft:var(--svc-muted,light-dark(#586072,#a4abba));
--_line:var(--svc-line,light-dark(#dcdfe6,#353b46));
--_alarm:var(--svc-danger,light-dark(#a6281b,#ffb0a3));
--_good:var(--svc-success,light-dark(#1c6b3f,#86d8a8));
--_round:var(--svc-radius,12px);
display:block;
block-size:560px;
max-inline-size:100%;
color:var(--_ink);
font:var(--svc-font-size,15px)/1.5 var(--svc-font,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif);
text-align:start;
}
:host([hidden]){display:none}
:host([theme=light]){color-scheme:light}
:host([theme=dark]){color-scheme:dark}
*{box-sizing:border-box}
[hidden]{display:none!important}
.host{block-size:100%}
.unseen{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
:focus-visible{outline:2px solid var(--_accent);outline-offset:2px}
`

const FRAME = `
.panel{position:relative;display:flex;flex-direction:column;block-size:100%;overflow:hidden;background:var(--_back);border:1px solid var(--_line);border-radius:var(--_round)}
.header{display:flex;align-items:center;gap:4px;min-block-size:52px;padding:8px 8px 8px 16px;border-block-end:1px solid var(--_line)}
.header:dir(rtl){padding:8px 16px 8px 8px}
.heading{flex:1;min-inline-size:0;margin:0;overflow:hidden;font-size:1.0667em;font-weight:650;line-height:1.3;text-overflow:ellipsis;white-space:nowrap}
.demo{flex:none;margin-inline:4px;padding:1px 8px;background:var(--_tint);border:1px solid var(--_line);border-radius:10px;color:var(--_soft);font-size:.8em}
.log{flex:1;min-block-size:0;padding:16px;overflow-y:auto;overflow-wrap:anywhere;overscroll-behavior:contain;scrollbar-width:thin;scrollbar-color:var(--_line) transparent}
.log:focus-visible{outline-offset:-2px}
.greeting{color:var(--_soft);white-space:pre-line}
.greeting:only-child{color:inherit;font-size:1.2em;line-height:1.4}
.suggestions{display:flex;flex-wrap:wrap;gap:8px;padding:0 16px 12px}
.form{display:flex;align-items:flex-end;gap:8px;margin:0 12px 12px;padding:4px;padding-inline-start:12px;background:var(--_tint);border:1px solid var(--_line);border-radius:calc(var(--_round) + 4px);cursor:text}
.form:focus-within{border-color:var(--_accent);box-shadow:0 0 0 1px var(--_accent)}
.input{flex:1;min-inline-size:0;max-block-size:140px;padding:6px 0;background:none;border:0;outline:0;resize:none;color:inherit;font:inherit}
.input::placeholder{color:var(--_soft);opacity:1}
button,.action{font:inherit;color:inherit;cursor:pointer}
svg{inline-size:20px;block-size:20px;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.send,.icon,.launcher{display:grid;flex:none;place-items:center;inline-size:36px;block-size:36px;padding:0;border:0;border-radius:calc(var(--_round) - 2px)}
.send,.launcher{background:var(--_accent);color:var(--_on-accent)}
::slotted([slot=avatar]){flex:none;inline-size:28px;block-size:28px;object-fit:cover;border-radius:50%}
.icon{background:none;color:var(--_soft)}
.icon:hover{background:var(--_tint);color:var(--_ink)}
`

const TURNS = `
.question{display:flex;justify-content:flex-end;margin-block:16px 12px}
.question-text{max-inline-size:85%;padding:8px 14px;background:var(--_accent);border-radius:var(--_round);color:var(--_on-accent);white-space:pre-wrap}
.question:first-of-type,.greeting[hidden]+.question{margin-block-start:0}
.greeting:not([hidden])+*{margin-block-start:16px}
.answer{margin-block:12px}
.said,.rest{display:flex;flex-direction:column;gap:10px}
.rest:not(:empty){margin-block-start:10px}
.said:empty+.rest{margin-block-start:0}
.capability,.wait{display:flex;align-items:center;gap:8px;color:var(--_soft);font-size:.9em}
.wait{flex-wrap:wrap;padding:10px 12px;background:var(--_tint);border-radius:var(--_round)}
.wait>:nth-child(2){flex:1;min-inline-size:8em}
.mark{flex:none;inline-size:14px;block-size:14px}
.mark.running,.mark.waiting,.mark.deciding{border:2px solid var(--_line);border-block-start-color:var(--_accent);border-radius:50%;animation:turn .9s linear infinite}
.mark.completed::before,.mark.settled::before,.mark.approved::before{content:"✓";color:var(--_good)}
.mark.unknown::before{content:"?";color:var(--_alarm)}
.mark.failed::before,.mark.refused::before{content:"✕";color:var(--_alarm)}
.mark:is(.expired,.cancelled,.declined,.elsewhere)::before{content:"–"}
.mark::before{display:block;font-weight:700;line-height:14px;text-align:center}
div.thinking{color:var(--_soft);animation:fade 1.4s ease-in-out infinite alternate}
@keyframes turn{to{rotate:1turn}}
@keyframes fade{from{opacity:.55}}
@media (prefers-reduced-motion:reduce){.mark,div.thinking{animation:none!important}}
`

const TEXT = `
.text>*{margin-block:0 8px}
.text>:last-child{margin-block-end:0}
.text p,.text li,.text h3,.text h4,.text blockquote{white-space:pre-line}
.text li p{margin:0}
.text li>*+*{margin-block-start:4px}
.text ul,.text ol{padding-inline-start:1.5em}
.text :dir(rtl)>li:dir(ltr),.text :dir(ltr)>li:dir(rtl){margin-inline:1.5em -1.5em}
.text h3{font-size:1.0667em;line-height:1.35}
.text h4{font-size:1em}
.text blockquote{margin-inline:0;padding-inline-start:12px;border-inline-start:3px solid var(--_line);color:var(--_soft)}
.text blockquote p{margin:0}
.text hr{border:0;border-block-start:1px solid var(--_line)}
code{font-family:ui-monospace,SFMono-Regular,Consolas,monospace;font-size:.9em}
.code{padding:1px 5px;background:var(--_tint);border-radius:4px}
.code-block{max-block-size:320px;padding:10px 12px;overflow:auto;background:var(--_tint);border-radius:8px;white-space:pre}
.link{color:var(--_accent);text-underline-offset:2px}

.host-name{display:inline-block;color:var(--_soft);font-size:.87em;font-weight:400}
.link .host-name,.action .host-name{white-space:pre}
`

const PARTS = `
.note{margin:0;color:var(--_soft);font-size:.87em}
.output{display:flex;flex-direction:column;gap:10px}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,230px),1fr));gap:8px;margin:0;padding:0;list-style:none}
.card{display:flex;gap:12px;min-inline-size:0;padding:10px;border:1px solid var(--_line);border-radius:var(--_round)}
.card-image{flex:none;inline-size:64px;block-size:64px;object-fit:cover;background:var(--_tint);border-radius:8px}
.card-body{display:flex;flex:1;flex-direction:column;min-inline-size:0}
.card-title{font-weight:600;line-height:1.35}
.card-title .link{color:inherit;text-decoration-color:var(--_line)}
.card-title .link:hover{text-decoration-color:currentColor}
.card-description{display:-webkit-box;overflow:hidden;color:var(--_soft);font-size:.87em;line-height:1.4;-webkit-box-orient:vertical;-webkit-line-clamp:2}
.card-body>.actions{margin-block-start:8px}
.card-price{align-self:flex-start;margin-block-start:auto;padding-block-start:2px;font-weight:600;font-variant-numeric:tabular-nums}
.actions,.row{display:flex;flex-wrap:wrap;align-items:center;gap:8px}
.action,.suggestion{min-block-size:36px;max-inline-size:100%;padding:5px 14px;background:none;border:1px solid var(--_line);border-radius:18px;font-size:.9333em;font-weight:500;line-height:1.6;text-align:start;text-decoration:none}
.suggestion{color:inherit}
.action:hover,.suggestion:hover{border-color:var(--_accent)}
.action.primary{background:var(--_accent);border-color:var(--_accent);color:var(--_on-accent)}
.action-description{display:block;color:var(--_soft);font-size:.87em;font-weight:400;line-height:1.4}
.action.primary .host-name,.action.primary .action-description{color:inherit}
.action[aria-disabled=true]{border-color:var(--_line);opacity:.55;cursor:default}
.answer-tools{display:flex;gap:4px;margin-block-start:4px;margin-inline-start:-6px}
.answer-tools .icon{inline-size:28px;block-size:28px}
.icon[aria-pressed=true]{color:var(--_accent)}
.icon[aria-pressed=true] path{fill:currentColor;fill-opacity:.25}
.answer-tools svg{inline-size:16px;block-size:16px}
.quiet{min-block-size:28px;padding:2px 6px;background:none;border:0;border-radius:6px;color:var(--_accent);font-size:.9333em;text-decoration:underline;text-underline-offset:2px}
.problem{display:flex;flex-direction:column;gap:8px;padding:12px;border:1px solid var(--_line);border-inline-start:3px solid var(--_alarm);border-radius:8px}
.problem p{margin:0}
.approval{display:flex;flex-direction:column;gap:12px;padding:14px 16px;border:1px solid var(--_line);border-radius:var(--_round)}
.approval.open{border-color:var(--_accent);box-shadow:inset 0 0 0 1px var(--_accent)}
.approval-text{display:flex;flex-direction:column;gap:2px}
.approval-label{color:var(--_accent);font-size:.87em;font-weight:600}
.approval-title{font-size:1.0667em;font-weight:650}
.approval-line{color:var(--_soft);font-size:.9333em}
.approval-amount{align-self:flex-start;margin-block-start:4px;font-size:1.2em;font-weight:650;font-variant-numeric:tabular-nums}
.approval-state{display:flex;gap:8px;font-size:.9333em}
.approval-state .mark{margin-block-start:3px}
.approval-state.alarm{color:var(--_alarm)}
.action:disabled{opacity:.55;cursor:default}
.reference{user-select:all}
`

const LAUNCHER = `
:host([launcher]){position:fixed;inset-block-end:20px;inset-inline-end:20px;z-index:var(--svc-layer,2147483000);block-size:auto}
:host([launcher]) .host{display:flex;flex-direction:column;align-items:flex-end;gap:12px;block-size:auto}
:host([launcher]) .panel{inline-size:min(400px,calc(100vw - 40px));block-size:min(620px,calc(100dvh - 116px));box-shadow:0 12px 40px rgb(0 0 0/.22)}
:host([launcher]:not([open])) .panel{display:none}
.launcher{inline-size:56px;block-size:56px;border-radius:50%;box-shadow:0 4px 16px rgb(0 0 0/.25)}
.launcher svg{inline-size:26px;block-size:26px}
.launcher.news::after{content:"";position:absolute;inset-block-end:42px;inset-inline-end:2px;inline-size:14px;block-size:14px;background:var(--_alarm);border:2px solid var(--_back);border-radius:50%}
.teaser{position:relative;display:flex;flex-direction:column;gap:10px;inline-size:min(300px,calc(100vw - 40px));padding:14px 16px;background:var(--_back);border:1px solid var(--_line);border-radius:var(--_round);box-shadow:0 8px 28px rgb(0 0 0/.18)}
.teaser-text{padding:0 28px 0 0;white-space:pre-line}
.teaser:dir(rtl)>.teaser-text{padding:0 0 0 28px}
.teaser>.icon{position:absolute;inset-block-start:6px;inset-inline-end:6px;inline-size:28px;block-size:28px}
.teaser>.icon svg{inline-size:16px;block-size:16px}
.teaser>.suggestions{padding:0}
:host([open]) .teaser{display:none}
@media (max-width:480px){
.teaser>.suggestions{display:none}
:host([launcher][open]){inset:0}
:host([launcher][open]) .host,:host([launcher][open]) .panel{inline-size:100%;block-size:100%;border:0;border-radius:0}
:host([launcher][open]) .launcher{display:none}
}
`

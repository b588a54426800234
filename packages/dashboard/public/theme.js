// Before the first paint, so that nobody sees the page in the other theme first.
const theme = localStorage.getItem('svc-theme')
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme

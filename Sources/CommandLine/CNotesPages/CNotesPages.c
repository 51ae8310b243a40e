// The files of the pages, as bytes of the program: it needs no folder of resources beside it. Made by 'make pages'.
#pragma clang diagnostic ignored "-Wc23-extensions"

#include "CNotesPages.h"

static const unsigned char file0[] = {
#embed "pages/api.js"
};
static const unsigned char file1[] = {
#embed "pages/banner.js"
};
static const unsigned char file2[] = {
#embed "pages/box-checked.svg"
};
static const unsigned char file3[] = {
#embed "pages/box.svg"
};
static const unsigned char file4[] = {
#embed "pages/bullet.svg"
};
static const unsigned char file5[] = {
#embed "pages/carets.js"
};
static const unsigned char file6[] = {
#embed "pages/chunk-view.js"
};
static const unsigned char file7[] = {
#embed "pages/conflicts.html"
};
static const unsigned char file8[] = {
#embed "pages/conflicts.js"
};
static const unsigned char file9[] = {
#embed "pages/deleted-list.js"
};
static const unsigned char file10[] = {
#embed "pages/deletion.js"
};
static const unsigned char file11[] = {
#embed "pages/differences.js"
};
static const unsigned char file12[] = {
#embed "pages/document-commands.js"
};
static const unsigned char file13[] = {
#embed "pages/document.css"
};
static const unsigned char file14[] = {
#embed "pages/document.html"
};
static const unsigned char file15[] = {
#embed "pages/document.js"
};
static const unsigned char file16[] = {
#embed "pages/downloads.js"
};
static const unsigned char file17[] = {
#embed "pages/editor.js"
};
static const unsigned char file18[] = {
#embed "pages/error.html"
};
static const unsigned char file19[] = {
#embed "pages/file-drop.js"
};
static const unsigned char file20[] = {
#embed "pages/found.js"
};
static const unsigned char file21[] = {
#embed "pages/history.html"
};
static const unsigned char file22[] = {
#embed "pages/history.js"
};
static const unsigned char file23[] = {
#embed "pages/hits.js"
};
static const unsigned char file24[] = {
#embed "pages/icon-back.svg"
};
static const unsigned char file25[] = {
#embed "pages/icon-bin.svg"
};
static const unsigned char file26[] = {
#embed "pages/icon-clock.svg"
};
static const unsigned char file27[] = {
#embed "pages/icon-dots.svg"
};
static const unsigned char file28[] = {
#embed "pages/icon-down.svg"
};
static const unsigned char file29[] = {
#embed "pages/icon-download.svg"
};
static const unsigned char file30[] = {
#embed "pages/icon-grip.svg"
};
static const unsigned char file31[] = {
#embed "pages/icon-into.svg"
};
static const unsigned char file32[] = {
#embed "pages/icon-lens.svg"
};
static const unsigned char file33[] = {
#embed "pages/icon-picture.svg"
};
static const unsigned char file34[] = {
#embed "pages/icon-plus.svg"
};
static const unsigned char file35[] = {
#embed "pages/icon-redo.svg"
};
static const unsigned char file36[] = {
#embed "pages/icon-swap.svg"
};
static const unsigned char file37[] = {
#embed "pages/icon-undo.svg"
};
static const unsigned char file38[] = {
#embed "pages/icon-up.svg"
};
static const unsigned char file39[] = {
#embed "pages/icon.svg"
};
static const unsigned char file40[] = {
#embed "pages/image-drag.js"
};
static const unsigned char file41[] = {
#embed "pages/image-view.js"
};
static const unsigned char file42[] = {
#embed "pages/images.js"
};
static const unsigned char file43[] = {
#embed "pages/library-commands.js"
};
static const unsigned char file44[] = {
#embed "pages/library-items.js"
};
static const unsigned char file45[] = {
#embed "pages/library-list.js"
};
static const unsigned char file46[] = {
#embed "pages/library-row.js"
};
static const unsigned char file47[] = {
#embed "pages/library-search.js"
};
static const unsigned char file48[] = {
#embed "pages/library-sections.js"
};
static const unsigned char file49[] = {
#embed "pages/library.css"
};
static const unsigned char file50[] = {
#embed "pages/library.html"
};
static const unsigned char file51[] = {
#embed "pages/library.js"
};
static const unsigned char file52[] = {
#embed "pages/light.js"
};
static const unsigned char file53[] = {
#embed "pages/line-view.js"
};
static const unsigned char file54[] = {
#embed "pages/loose-files.js"
};
static const unsigned char file55[] = {
#embed "pages/menu.js"
};
static const unsigned char file56[] = {
#embed "pages/notices.js"
};
static const unsigned char file57[] = {
#embed "pages/picture-lines.js"
};
static const unsigned char file58[] = {
#embed "pages/picture-view.js"
};
static const unsigned char file59[] = {
#embed "pages/places.js"
};
static const unsigned char file60[] = {
#embed "pages/print.css"
};
static const unsigned char file61[] = {
#embed "pages/range-view.js"
};
static const unsigned char file62[] = {
#embed "pages/row-menu.js"
};
static const unsigned char file63[] = {
#embed "pages/sender.js"
};
static const unsigned char file64[] = {
#embed "pages/separation.js"
};
static const unsigned char file65[] = {
#embed "pages/session-view.js"
};
static const unsigned char file66[] = {
#embed "pages/session.js"
};
static const unsigned char file67[] = {
#embed "pages/splices.js"
};
static const unsigned char file68[] = {
#embed "pages/stream.js"
};
static const unsigned char file69[] = {
#embed "pages/style.css"
};
static const unsigned char file70[] = {
#embed "pages/tab.js"
};
static const unsigned char file71[] = {
#embed "pages/text-marks.js"
};
static const unsigned char file72[] = {
#embed "pages/text.js"
};
static const unsigned char file73[] = {
#embed "pages/trust.js"
};
static const unsigned char file74[] = {
#embed "pages/undo-steps.js"
};
static const unsigned char file75[] = {
#embed "pages/version-sessions.js"
};
static const unsigned char file76[] = {
#embed "pages/versions.css"
};
static const unsigned char file77[] = {
#embed "pages/word-changes.js"
};
static const unsigned char file78[] = {
#embed "pages/words.js"
};

static const struct cnotespages_file files[] = {
    {"api.js", file0, sizeof file0},
    {"banner.js", file1, sizeof file1},
    {"box-checked.svg", file2, sizeof file2},
    {"box.svg", file3, sizeof file3},
    {"bullet.svg", file4, sizeof file4},
    {"carets.js", file5, sizeof file5},
    {"chunk-view.js", file6, sizeof file6},
    {"conflicts.html", file7, sizeof file7},
    {"conflicts.js", file8, sizeof file8},
    {"deleted-list.js", file9, sizeof file9},
    {"deletion.js", file10, sizeof file10},
    {"differences.js", file11, sizeof file11},
    {"document-commands.js", file12, sizeof file12},
    {"document.css", file13, sizeof file13},
    {"document.html", file14, sizeof file14},
    {"document.js", file15, sizeof file15},
    {"downloads.js", file16, sizeof file16},
    {"editor.js", file17, sizeof file17},
    {"error.html", file18, sizeof file18},
    {"file-drop.js", file19, sizeof file19},
    {"found.js", file20, sizeof file20},
    {"history.html", file21, sizeof file21},
    {"history.js", file22, sizeof file22},
    {"hits.js", file23, sizeof file23},
    {"icon-back.svg", file24, sizeof file24},
    {"icon-bin.svg", file25, sizeof file25},
    {"icon-clock.svg", file26, sizeof file26},
    {"icon-dots.svg", file27, sizeof file27},
    {"icon-down.svg", file28, sizeof file28},
    {"icon-download.svg", file29, sizeof file29},
    {"icon-grip.svg", file30, sizeof file30},
    {"icon-into.svg", file31, sizeof file31},
    {"icon-lens.svg", file32, sizeof file32},
    {"icon-picture.svg", file33, sizeof file33},
    {"icon-plus.svg", file34, sizeof file34},
    {"icon-redo.svg", file35, sizeof file35},
    {"icon-swap.svg", file36, sizeof file36},
    {"icon-undo.svg", file37, sizeof file37},
    {"icon-up.svg", file38, sizeof file38},
    {"icon.svg", file39, sizeof file39},
    {"image-drag.js", file40, sizeof file40},
    {"image-view.js", file41, sizeof file41},
    {"images.js", file42, sizeof file42},
    {"library-commands.js", file43, sizeof file43},
    {"library-items.js", file44, sizeof file44},
    {"library-list.js", file45, sizeof file45},
    {"library-row.js", file46, sizeof file46},
    {"library-search.js", file47, sizeof file47},
    {"library-sections.js", file48, sizeof file48},
    {"library.css", file49, sizeof file49},
    {"library.html", file50, sizeof file50},
    {"library.js", file51, sizeof file51},
    {"light.js", file52, sizeof file52},
    {"line-view.js", file53, sizeof file53},
    {"loose-files.js", file54, sizeof file54},
    {"menu.js", file55, sizeof file55},
    {"notices.js", file56, sizeof file56},
    {"picture-lines.js", file57, sizeof file57},
    {"picture-view.js", file58, sizeof file58},
    {"places.js", file59, sizeof file59},
    {"print.css", file60, sizeof file60},
    {"range-view.js", file61, sizeof file61},
    {"row-menu.js", file62, sizeof file62},
    {"sender.js", file63, sizeof file63},
    {"separation.js", file64, sizeof file64},
    {"session-view.js", file65, sizeof file65},
    {"session.js", file66, sizeof file66},
    {"splices.js", file67, sizeof file67},
    {"stream.js", file68, sizeof file68},
    {"style.css", file69, sizeof file69},
    {"tab.js", file70, sizeof file70},
    {"text-marks.js", file71, sizeof file71},
    {"text.js", file72, sizeof file72},
    {"trust.js", file73, sizeof file73},
    {"undo-steps.js", file74, sizeof file74},
    {"version-sessions.js", file75, sizeof file75},
    {"versions.css", file76, sizeof file76},
    {"word-changes.js", file77, sizeof file77},
    {"words.js", file78, sizeof file78},
};

const size_t cnotespages_count = sizeof files / sizeof files[0];

struct cnotespages_file cnotespages_file_at(size_t index) { return files[index]; }
